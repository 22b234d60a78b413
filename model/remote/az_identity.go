package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// identity signs requests to a container with the program's identity in Azure, once the store has refused an unsigned one: public data needs no
// identity, and on a machine without one it takes seconds to find out.
type identity struct{ wanted atomic.Bool }

// identities are those of all containers, by address: once a container has required an identity, requests are signed at once.
var identities sync.Map

func identityFor(container string) *identity {
	i, _ := identities.LoadOrStore(container, &identity{})
	return i.(*identity)
}

// Do makes a request, and repeats it signed if the store refuses it.
func (i *identity) Do(r *policy.Request) (*http.Response, error) {
	if !i.wanted.Load() {
		a, err := r.Next()
		if err != nil || !refused(a) || !secret(r.Raw().URL) {
			return a, err
		}
		bearer, err := azureWho.bearer(r.Raw().Context())
		if bearer == "" && (err == nil || a.StatusCode == http.StatusNotFound) {
			return a, nil
		}
		if err != nil {
			return nil, final{fmt.Errorf("the store denies access (%s), and so does Azure for the account in the environment: %v", a.Status, err)}
		}
		runtime.Drain(a)
		if err := r.RewindBody(); err != nil {
			return nil, err
		}
	}
	bearer, err := azureWho.bearer(r.Raw().Context())
	if err != nil {
		return nil, err
	}
	r.Raw().Header.Set("Authorization", bearer)
	a, err := r.Next()
	if err == nil && a.StatusCode < 300 {
		i.wanted.Store(true)
	}
	return a, err
}

// refused tells whether a store may answer differently to a signed request: it reports a private container in four ways, one of them that it does not exist.
func refused(a *http.Response) bool {
	switch a.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return true
	}
	return a.Header.Get("x-ms-error-code") == "PublicAccessNotPermitted"
}

// secret tells whether no one else can read what is sent to an address.
func secret(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || ip != nil && ip.IsLoopback()
}

// whoever is the program's identity in Azure: the first of the usual sources that returns a token. If none does, none is asked again.
type whoever struct {
	mu    sync.Mutex
	token *oauth2.Token
	none  bool
	err   error // of an identity that the environment names
}

var azureWho = &whoever{}

// bearer is the token that signs requests; "" for none.
func (w *whoever) bearer(ctx context.Context) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.none {
		return "", w.err
	}
	if w.token.Valid() {
		return "Bearer " + w.token.AccessToken, nil
	}
	wait, stop := context.WithTimeout(ctx, identityWait)
	defer stop()
	named := namedToken()
	ways := []identityWay{machineToken, toolToken}
	if named != nil {
		ways = []identityWay{named}
	}
	var err error
	for _, ask := range ways {
		var token *oauth2.Token
		if token, err = ask(wait); err == nil {
			w.token = token
			return "Bearer " + token.AccessToken, nil
		}
	}
	if w.token != nil || ctx.Err() != nil {
		return "", err // it may be granted later
	}
	if w.none = true; named != nil {
		w.err = err
	}
	return "", w.err
}

// identityWay is one of the ways to a token.
type identityWay func(context.Context) (*oauth2.Token, error)

// identityWait is how long a token request may take.
const identityWait = 20 * time.Second

// azureResource is the resource of the token.
const azureResource = "https://storage.azure.com/"

// namedToken requests a token for the application that the environment names, with its secret, or in a Kubernetes pod with the file that identifies it; nil if it
// names none.
func namedToken() identityWay {
	tenant, id, secret, file := env("AZURE_TENANT_ID"), env("AZURE_CLIENT_ID"), env("AZURE_CLIENT_SECRET"), env("AZURE_FEDERATED_TOKEN_FILE")
	if tenant == "" || id == "" || secret == "" && file == "" {
		return nil
	}
	host := strings.TrimSuffix(env("AZURE_AUTHORITY_HOST"), "/")
	if host == "" {
		host = "https://login.microsoftonline.com"
	}
	return func(ctx context.Context) (*oauth2.Token, error) {
		c := clientcredentials.Config{ClientID: id, ClientSecret: secret, TokenURL: host + "/" + tenant + "/oauth2/v2.0/token",
			Scopes: []string{azureResource + ".default"}, AuthStyle: oauth2.AuthStyleInParams}
		if secret == "" {
			says, err := os.ReadFile(file) // each time: it is renewed
			if err != nil {
				return nil, err
			}
			c.EndpointParams = url.Values{"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}, "client_assertion": {string(says)}}
		}
		return c.Token(ctx)
	}
}

// machineAt is the address at which a machine in Azure returns its identity.
var machineAt = "http://169.254.169.254/metadata/identity/oauth2/token"

// machineToken asks the service or machine that the program runs on.
func machineToken(ctx context.Context) (*oauth2.Token, error) {
	at, version, header, secret, client := machineAt, "2018-02-01", "Metadata", "true", "client_id"
	if end, key := env("IDENTITY_ENDPOINT"), env("IDENTITY_HEADER"); end != "" && key != "" { // apps, functions, containers
		at, version, header, secret = end, "2019-08-01", "X-Identity-Header", key
	} else if end, key := env("MSI_ENDPOINT"), env("MSI_SECRET"); end != "" && key != "" { // Azure Machine Learning
		at, version, header, secret, client = end, "2017-09-01", "Secret", key, "clientid"
	}
	query := url.Values{"api-version": {version}, "resource": {azureResource}}
	if id := env("AZURE_CLIENT_ID"); id != "" {
		query.Set(client, id)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at+"?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set(header, secret)
	// Without a proxy, and with a short timeout.
	near := http.Client{Transport: &http.Transport{DialContext: (&net.Dialer{Timeout: time.Second}).DialContext, DisableKeepAlives: true}}
	a, err := near.Do(r)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	if err := answer(a.StatusCode, a.Status); err != nil {
		return nil, err
	}
	return readToken(a.Body)
}

// toolToken asks the command line of Azure, in which a person has signed in.
func toolToken(ctx context.Context) (*oauth2.Token, error) {
	out, err := exec.CommandContext(ctx, "az", "account", "get-access-token", "--resource", azureResource, "--output", "json").Output()
	if err != nil {
		return nil, err
	}
	return readToken(strings.NewReader(string(out)))
}

// readToken parses a token from machines and the command line; without an expiry it is used for a few minutes.
func readToken(from io.Reader) (*oauth2.Token, error) {
	var is struct {
		Machine string      `json:"access_token"`
		Tool    string      `json:"accessToken"`
		Until   json.Number `json:"expires_on"`
	}
	if err := json.NewDecoder(io.LimitReader(from, 1<<20)).Decode(&is); err != nil {
		return nil, err
	}
	token := &oauth2.Token{AccessToken: is.Machine + is.Tool, Expiry: time.Now().Add(5 * time.Minute)}
	if token.AccessToken == "" {
		return nil, errors.New("no token in the answer")
	}
	if n, err := is.Until.Int64(); err == nil {
		token.Expiry = time.Unix(n, 0)
	}
	return token, nil
}
