/** As PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** The key of the certificates below. For tests only. */
const key: string = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgFWu8SiKtQitfbpPj
U8PS3PjwKuUTZL4zuiKYvZYqgkmhRANCAAQC/m72Asq/13hQ381zGejre753taYF
IB5lLJLe3pHq8i6A9OZURwehkxvgXQ4a2nw9W23a8WhWPiR4W8eGHPgO
-----END PRIVATE KEY-----
`;

/** A certificate of `selfSigned` for this host, which expired in 2021, and its key. */
export const expired: Certificate = {
  key,
  cert: `-----BEGIN CERTIFICATE-----
MIICNTCCAR2gAwIBAgICEAEwDQYJKoZIhvcNAQELBQAwFDESMBAGA1UEAwwJbG9j
YWxob3N0MB4XDTIwMDEwMTAwMDAwMFoXDTIxMDEwMTAwMDAwMFowEjEQMA4GA1UE
AwwHZXhwaXJlZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAL+bvYCyr/XeFDf
zXMZ6Ot7vne1pgUgHmUskt7ekeryLoD05lRHB6GTG+BdDhrafD1bbdrxaFY+JHhb
x4Yc+A6jXjBcMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAdBgNVHQ4EFgQU
oYB4ZJVMR9mTcSLY8CYgem6GyNMwHwYDVR0jBBgwFoAUeimkKfrCLzyqtWv1B0wM
XhlOu0UwDQYJKoZIhvcNAQELBQADggEBAHcZXb+MaSRfZHw3hXeFxQdCQNrtUfIo
k0q/MW504dfIKn/4ObAtFD4dfagSbRqw2f6RYrm4tE+/i4rSlUPbuY+fSJHuk1QN
fmEP/zmZsJpvOd0r3HNkiBk0TAsSaeYuPjGoZHa1N/eIP21jUS5xBDOg5vLIy0h+
y5PrEXZb+uKi76dHSoGUIsu6hw+/Jo4YibNNZbOPlyxYS0SjOM/3/2ADnb81NVZk
vueXHovvG85bjiSAb9KZjOjO7PIgyDQ1UQluA2MG3or5/CkLPGiY3GrWQMpRIJCC
xSwaR2LXFzEgcVf5L9SJH9hPn4H/YeW3VtOE51aFpmkPxDaoDq0cB6Q=
-----END CERTIFICATE-----
`,
};

/** A certificate of `selfSigned` for the host `elsewhere.test`, and its key. Valid until 2126. */
export const ofElsewhere: Certificate = {
  key,
  cert: `-----BEGIN CERTIFICATE-----
MIICODCCASCgAwIBAgICEAIwDQYJKoZIhvcNAQELBQAwFDESMBAGA1UEAwwJbG9j
YWxob3N0MCAXDTI2MDEwMTAwMDAwMFoYDzIxMjYwMTAxMDAwMDAwWjAUMRIwEAYD
VQQDDAllbHNld2hlcmUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQC/m72Asq/
13hQ381zGejre753taYFIB5lLJLe3pHq8i6A9OZURwehkxvgXQ4a2nw9W23a8WhW
PiR4W8eGHPgOo10wWzAZBgNVHREEEjAQgg5lbHNld2hlcmUudGVzdDAdBgNVHQ4E
FgQUoYB4ZJVMR9mTcSLY8CYgem6GyNMwHwYDVR0jBBgwFoAUeimkKfrCLzyqtWv1
B0wMXhlOu0UwDQYJKoZIhvcNAQELBQADggEBAD9oo0GwHNEZi2ffrSsxGAWYG9OD
hXzBiyjsawJda+Chq7CCju7lH5EpmTusGFa0Bs0ICI9YatiEGQGzJFoheF70lmNH
z0lu5QXAe7YwDF4MeqTUSJ+/6WaSwF8e/CqEn2hE40rksj2n/0pV4s+NimlWMr09
WQ/nHNKkKJJrBB76ZrH6N5M108piibVuA7AjUTFUlOYzX0mx/zNRWpGlpRH7UjPW
ZRWGgbiwM/Zt6z3Evs947m/A4d08Euaqzqv9x6FymFSxCsDtLLpUBTTYE+cZUkqh
8jnSPHwtlHxfmctd/UC6tDKgdjn9XDqQu53v/yW7dC00GmWP4fvAoXVxHc8=
-----END CERTIFICATE-----
`,
};
