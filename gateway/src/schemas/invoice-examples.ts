/** Examples of an invoice and of what stands on it. */
export const LINK = 'https://audio.example.org/downloads';

export const PERIOD = {
  currentPeriodStart: '2027-03-14T09:00:00.000Z',
  currentPeriodEnd: '2027-04-14T09:00:00.000Z',
};

export const profile = { companyName: 'Example Podcasts Ltd', taxId: 'GB123456789' };

export const refund = {
  id: 'rfd_01jq8z5c7mexample0000000000',
  amount: 900,
  currency: 'usd',
  reason: 'Two hours of jobs failed on our side.',
  status: 'succeeded',
  createdAt: '2027-03-15T10:12:00.000Z',
};

export const invoice = {
  id: 'inv_01jq8z5c7mexample0000000000',
  number: 'INV-202703-000042',
  status: 'paid',
  amount: 4_900,
  currency: 'usd',
  periodStart: PERIOD.currentPeriodStart,
  periodEnd: PERIOD.currentPeriodEnd,
  paidAt: '2027-03-14T09:00:02.000Z',
  pdfUrl: `${LINK}/invoices/INV-202703-000042.pdf?expires=1805103072&signature=c2lnbmF0dXJl`,
  ...profile,
  amountRefunded: 900,
  refunds: [refund],
};
