/** A mail server with TLS, and its certificate. */
export { CERTIFICATE, PRIVATE_KEY } from '@audiosplit/account/mail/certificate.fixture';
export { startSmtpServer } from '@audiosplit/account/mail/smtp-server.fixture';
