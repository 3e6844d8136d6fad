// Package dns takes the place of lego's list of some two hundred providers of DNS, by which it would prove that a domain is ours. The
// public proxy does not have the libraries of all of them, and the cluster's test asks for no certificate.
package dns

import (
	"fmt"

	"github.com/go-acme/lego/v5/challenge"
)

// NewDNSChallengeProviderByName knows none.
func NewDNSChallengeProviderByName(name string) (challenge.Provider, error) {
	return nil, fmt.Errorf("there is no provider %q in this build", name)
}
