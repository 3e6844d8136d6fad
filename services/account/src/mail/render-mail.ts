/**
 * A message as text and as HTML. The HTML is one column with styles in place, which every mail program shows; it loads
 * nothing, so that opening it is not reported to anyone (decision 54).
 */
import type { Mail } from './mailer.ts';
import type { Message } from './messages.ts';

export function renderMail(
  { subject, before, link, after }: Message,
  publicBaseUrl: string,
): Pick<Mail, 'subject' | 'text'> & { readonly html: string } {
  const url = publicBaseUrl + link.path;
  const text = `${[...before, `${link.label}:\n${url}`, ...after].join('\n\n')}\n\n-- \naudiosplit\n`;
  return {
    subject,
    text,
    html: document(subject, [...before.map(paragraph), button(link.label, url), ...after.map(paragraph)]),
  };
}

const FONT = "font:16px/1.5 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

function document(subject: string, parts: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(subject)}</title>
</head>
<body style="margin:0;padding:24px 12px;background:#f4f5f7;${FONT};color:#1c2430">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:#ffffff;border-radius:8px"><tr><td style="padding:28px;${FONT};color:#1c2430">
<h1 style="margin:0 0 20px;font-size:20px;line-height:1.3">${escapeHtml(subject)}</h1>
${parts.join('\n')}
<p style="margin:24px 0 0;font-size:14px;color:#5b6675">audiosplit</p>
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

function paragraph(text: string): string {
  return `<p style="margin:0 0 16px">${escapeHtml(text)}</p>`;
}

function button(label: string, url: string): string {
  return `<p style="margin:24px 0"><a href="${escapeHtml(url)}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:#1f5fd6;color:#ffffff;text-decoration:none;font-weight:600">${escapeHtml(label)}</a></p>`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
