package remote

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"spandrel/model"
)

// private is a store of Azure that gives its blob to who has the token, and beside it those that give tokens.
type private struct {
	mu        sync.Mutex
	status    int    // what others are told; 0: it is public
	code      string // with that
	blob      string
	anonymous int // requests without a token
	asked     int // for tokens
	form      string
	life      time.Duration // of a token
}

func (s *private) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	if strings.HasPrefix(r.URL.Path, "/who") {
		s.asked++
		s.form = r.URL.RawQuery + " " + string(body)
		if r.Method == http.MethodGet && r.Header.Get("Metadata") != "true" && r.Header.Get("X-Identity-Header") != "hush" && r.Header.Get("Secret") != "hush" {
			http.Error(w, "who asks?", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"token_type":"Bearer","access_token":"token%d","expires_in":%d,"expires_on":"%d"}`, s.asked, int(s.life.Seconds()), time.Now().Add(s.life).Unix())
		return
	}
	if who := r.Header.Get("Authorization"); who == "" {
		s.anonymous++
	}
	if s.status > 0 && r.Header.Get("Authorization") != fmt.Sprintf("Bearer token%d", s.asked) {
		w.Header().Set("x-ms-error-code", s.code)
		w.WriteHeader(s.status)
		return
	}
	switch {
	case r.Method == http.MethodPut:
		s.blob = string(body)
		w.WriteHeader(http.StatusCreated)
	case r.URL.Path == "/me/c/x":
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "", time.Unix(1e9, 0), strings.NewReader(s.blob))
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// alone is an environment in which no one is anyone, and nothing is remembered.
func alone(t *testing.T, s *private) string {
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	for _, name := range []string{"AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_KEY", "AZURE_STORAGE_SAS_TOKEN", "AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET",
		"AZURE_FEDERATED_TOKEN_FILE", "IDENTITY_ENDPOINT", "IDENTITY_HEADER", "MSI_ENDPOINT", "MSI_SECRET"} {
		t.Setenv(name, "")
	}
	t.Setenv("PATH", t.TempDir())
	t.Setenv("AZURE_STORAGE_ACCOUNT", "me")
	t.Setenv("AZURE_STORAGE_SERVICE_ENDPOINT", server.URL+"/me")
	t.Setenv("AZURE_AUTHORITY_HOST", server.URL+"/who")
	who, machine := azureWho, machineAt
	t.Cleanup(func() { azureWho, machineAt = who, machine })
	azureWho, machineAt = &whoever{}, server.URL+"/nowhere"
	identities.Clear()
	return server.URL
}

// TestAzureIdentity: the store is asked first; who the program is only where the store refuses, and once.
func TestAzureIdentity(t *testing.T) {
	file := filepath.Join(t.TempDir(), "which")
	os.WriteFile(file, []byte("pod"), 0o600)
	for name, at := range map[string]struct {
		who  func(server string)
		sent string // to who knows
	}{
		"machine": {func(server string) { machineAt = server + "/who" }, "resource=https%3A%2F%2Fstorage.azure.com%2F"},
		"app": {func(server string) {
			t.Setenv("IDENTITY_ENDPOINT", server+"/who")
			t.Setenv("IDENTITY_HEADER", "hush")
			t.Setenv("AZURE_CLIENT_ID", "one")
		}, "client_id=one"},
		"machine learning": {func(server string) {
			t.Setenv("MSI_ENDPOINT", server+"/who")
			t.Setenv("MSI_SECRET", "hush")
			t.Setenv("AZURE_CLIENT_ID", "one")
		}, "clientid=one"},
		"secret": {func(string) {
			t.Setenv("AZURE_TENANT_ID", "tenant")
			t.Setenv("AZURE_CLIENT_ID", "one")
			t.Setenv("AZURE_CLIENT_SECRET", "hush")
		}, "client_secret=hush"},
		"pod": {func(string) {
			t.Setenv("AZURE_TENANT_ID", "tenant")
			t.Setenv("AZURE_CLIENT_ID", "one")
			t.Setenv("AZURE_FEDERATED_TOKEN_FILE", file)
		}, "client_assertion=pod"},
	} {
		for status, code := range map[int]string{0: "", 401: "NoAuthenticationInformation", 403: "AuthorizationFailure", 404: "ResourceNotFound", 409: "PublicAccessNotPermitted"} {
			s := &private{status: status, code: code, blob: "the blob", life: time.Hour}
			server := alone(t, s)
			at.who(server)
			for range 3 {
				st, _, err := find(t.Context(), "az://c/x")
				if err != nil {
					t.Fatal(err)
				}
				r, _, err := st.Open("x")
				if err != nil {
					t.Fatalf("%s, %d: %v", name, status, err)
				}
				got := make([]byte, 8)
				if r.ReadAt(got, 0); string(got) != s.blob {
					t.Errorf("%s, %d: %q", name, status, got)
				}
			}
			if status == 0 && (s.asked != 0 || s.anonymous != 3) || status > 0 && (s.asked != 1 || s.anonymous != 1 || !strings.Contains(s.form, at.sent)) {
				t.Errorf("%s, %d: %d requests without a token, %d for one: %s", name, status, s.anonymous, s.asked, s.form)
			}
		}
	}
}

// TestAzureTool: the command line of Azure is asked where no other knows, and a token that ends is renewed.
func TestAzureTool(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the command is a script of Unix")
	}
	s := &private{status: 404, blob: "the blob"}
	alone(t, s)
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	script := "#!/bin/sh\n[ \"$*\" = 'account get-access-token --resource https://storage.azure.com/ --output json' ] && echo '{\"accessToken\": \"token0\", \"expires_on\": 2000000000}'\n"
	if err := os.WriteFile(filepath.Join(dir, "az"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	st, _, err := find(t.Context(), "az://c/x")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := st.Open("x"); err != nil {
		t.Error(err)
	}
}

// TestAzureRenewed: a token that ends is renewed, and a write is whole though it was refused first.
func TestAzureRenewed(t *testing.T) {
	s := &private{status: 403, blob: "the blob", life: time.Second}
	server := alone(t, s)
	machineAt = server + "/who"
	for i := range 2 {
		st, _, err := find(t.Context(), "az://c/x")
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprint("a new blob ", i)
		if err := st.Put(t.Context(), "x", upload([]byte(want), true)); err != nil || s.blob != want {
			t.Errorf("%q: %v", s.blob, err)
		}
	}
	if s.asked < 2 || s.anonymous != 1 {
		t.Errorf("%d tokens, %d requests without one", s.asked, s.anonymous)
	}
}

// TestAzureNoOne: what is not there is not there, and an identity that fails is named where the store denies access.
func TestAzureNoOne(t *testing.T) {
	s := &private{blob: "the blob"}
	alone(t, s)
	open := func() error {
		st, _, _ := find(t.Context(), "az://c/none")
		_, _, err := st.Open("none")
		return err
	}
	if err := open(); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, model.ErrUnreachable) {
		t.Error(err)
	}
	s.status, s.code = 403, "AuthorizationFailure"
	if err := open(); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
	for name, v := range map[string]string{"AZURE_TENANT_ID": "tenant", "AZURE_CLIENT_ID": "one", "AZURE_CLIENT_SECRET": "wrong", "AZURE_AUTHORITY_HOST": "http://127.0.0.1:1"} {
		t.Setenv(name, v)
	}
	azureWho = &whoever{}
	if err := open(); err == nil || !strings.Contains(err.Error(), "the account in the environment") {
		t.Error(err)
	}
	if s.status = 404; !errors.Is(open(), fs.ErrNotExist) {
		t.Error(open())
	}
}
