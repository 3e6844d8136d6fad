// Package ext is where an edition of Traefik adds settings of its own to routes; ours has none. Traefik's module takes this package
// from a folder beside it, which is not in the module that proxies serve.
package ext

// HTTP is embedded in the settings of all routes.
type HTTP struct{}

// Router is embedded in the settings of one route.
type Router struct{}
