/**
 * A self-signed certificate for localhost and 127.0.0.1, valid for a hundred years, with its key. Made with
 * `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj /CN=localhost`
 * `-addext subjectAltName=DNS:localhost,IP:127.0.0.1`. It protects nothing.
 */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUED5a5j0wmqJ1VysMJHL+edVdc/owCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA5MDgxMloYDzIxMjYxMDI4
MDkwODEyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAStrb9yQRDSlHFS55Np5hU2R5gElOPeOl7AGnvfhoYhfV+EbDxNbZcj
N4buRhxgvZSl+Y701/pYevdtwsE7QHOUo28wbTAdBgNVHQ4EFgQUG42oTqZ01OXb
IyZT4hrgeQff4x4wHwYDVR0jBBgwFoAUG42oTqZ01OXbIyZT4hrgeQff4x4wGgYD
VR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZI
zj0EAwIDRwAwRAIga0Is150dCR+0Ik+g9h3EC5qmNamPkMkg+UFPUQl/AZwCIHHR
x2mecd1Ikj681go6iZZ6AgUxtU1BmiI4jXoEGSFy
-----END CERTIFICATE-----
`;

export const PRIVATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgUY7lKkVFifHsC5gm
/yDA00xUbx2qB9p5F5leKlWlrQShRANCAAStrb9yQRDSlHFS55Np5hU2R5gElOPe
Ol7AGnvfhoYhfV+EbDxNbZcjN4buRhxgvZSl+Y701/pYevdtwsE7QHOU
-----END PRIVATE KEY-----
`;
