// Of kube-router the controller of NetworkPolicies, and nothing else: neither routes nor Services, and so none of the clouds' and
// BGP's libraries that its own program comes with. It takes that program's flags.
package main

import (
	"context"
	"net"
	"net/http"
	"os/signal"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/cloudnativelabs/kube-router/v2/pkg/controllers/netpol"
	"github.com/cloudnativelabs/kube-router/v2/pkg/healthcheck"
	"github.com/cloudnativelabs/kube-router/v2/pkg/options"
	"github.com/cloudnativelabs/kube-router/v2/pkg/svcip"
	"github.com/spf13/pflag"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

func main() {
	config := options.NewKubeRouterConfig()
	config.AddFlags(pflag.CommandLine)
	pflag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, config); err != nil {
		klog.Fatal(err)
	}
}

func run(ctx context.Context, config *options.KubeRouterConfig) error {
	access, err := clientcmd.BuildConfigFromFlags("", config.Kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(access)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods().Informer()
	namespaces := factory.Core().V1().Namespaces().Informer()
	policies := factory.Networking().V1().NetworkPolicies().Informer()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())

	services, err := svcip.NewValidator(svcip.Config{
		ClusterIPCIDRs: config.ClusterIPCIDRs, EnableIPv4: config.EnableIPv4, EnableIPv6: config.EnableIPv6,
	})
	if err != nil {
		return err
	}
	tables, sets, err := netpol.NewIPTablesHandlers(config)
	if err != nil {
		return err
	}
	controller, err := netpol.NewNetworkPolicyController(
		client, config, pods, policies, namespaces, &sync.Mutex{}, nil, tables, sets, services)
	if err != nil {
		return err
	}
	for informer, handler := range map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		pods:       controller.PodEventHandler,
		namespaces: controller.NamespaceEventHandler,
		policies:   controller.NetworkPolicyEventHandler,
	} {
		if _, err := informer.AddEventHandler(handler); err != nil {
			return err
		}
	}

	var begun atomic.Bool
	listener, err := net.Listen("tcp", net.JoinHostPort(config.HealthAddr, strconv.Itoa(int(config.HealthPort))))
	if err != nil {
		return err
	}
	go serveHealth(listener, &begun)
	// It blocks while its beats are not received, one for each time that it writes rules.
	beats := make(chan *healthcheck.ControllerHeartbeat)
	go func() {
		for range beats {
			begun.Store(true)
		}
	}()
	var running sync.WaitGroup
	running.Add(1)
	go controller.Run(beats, ctx.Done(), &running)
	running.Wait()
	return nil
}

func serveHealth(listener net.Listener, begun *atomic.Bool) {
	klog.Fatal(http.Serve(listener, http.HandlerFunc(func(response http.ResponseWriter, _ *http.Request) {
		if !begun.Load() {
			response.WriteHeader(http.StatusServiceUnavailable)
		}
	})))
}
