import { Curl } from '../parts/curl.tsx';
import { Page } from '../parts/frame/page.tsx';
import { Panel } from '../parts/panel.tsx';
import { Deliveries } from './webhooks/deliveries.tsx';
import { SigningSecret } from './webhooks/signing-secret.tsx';

const EXAMPLE = {
  sourceUrl: 'https://example.com/talk.mp3',
  splitMode: 'duration',
  segmentDuration: 300,
  webhookUrl: 'https://example.com/hooks/audio',
};

export function WebhooksPage() {
  return (
    <Page
      title="Webhooks"
      lead="Your program is told when a job begins, ends or fails, and when an export is ready."
    >
      <Panel
        title="Where to"
        lead={
          <>
            A job or an export names its own address, as <code class="code-tag">webhookUrl</code>; an endpoint
            of the account gets all. What is not taken is sent again, eight times over about a day.
          </>
        }
      >
        <Curl
          label="A job that tells of itself, with curl"
          calls={[{ method: 'POST', path: '/api/v1/splits', credential: 'key', body: EXAMPLE }]}
        />
        <Curl
          label="An endpoint for everything, with curl"
          calls={[
            {
              method: 'PUT',
              path: '/api/v1/webhooks/endpoint',
              credential: 'token',
              body: { url: EXAMPLE.webhookUrl },
            },
          ]}
        />
      </Panel>
      <SigningSecret />
      <Deliveries />
    </Page>
  );
}
