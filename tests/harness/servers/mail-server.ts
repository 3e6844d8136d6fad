/** A mail server that speaks TLS, with its certificate. */
export { CERTIFICATE, PRIVATE_KEY } from '@audiosplit/account/mail/certificate.fixture';
export { startSmtpServer } from '@audiosplit/account/mail/smtp-server.fixture';
