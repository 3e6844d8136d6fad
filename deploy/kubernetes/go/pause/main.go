// What holds a pod's namespaces open: it waits for the signal to end. Each container has processes of its own to look after,
// so that there are no orphans for it to collect, as registry.k8s.io/pause does.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGINT, syscall.SIGTERM)
	<-ended
}
