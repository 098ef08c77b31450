import type { Secrets } from '../../embedded/secrets.ts';

/** One secret of each kind, for every stack that a test starts: none may appear in a log or in an error. */
export const canaries = {
  operatorMnemonic:
    'tone lock fault firm letter busy heavy weapon garment excite decline news change tower will circle sweet sausage ' +
    'monkey curious bicycle diamond warfare envelope',
  adminKey: `vts_development_${'0c'.repeat(16)}_eWzvZ9C5fBwPWIJ3WjV1cbd8EWO16BCR_eShz2GKtSA`,
  frontendKey: `vts_development_${'0f'.repeat(16)}_R4i0hATq7XsW26tCzNs36IXV40_GZl1o5Yvl2gyrzTc`,
  encryptionKey: 'oBjkY2pWTqNB+mfLcoHFZ+1AGbZZJK+xgHc9VUjZU6k=',
  databasePassword: 'HZDXncAs4VspWfa9LsFcW1qe0Jqvcy37',
  apiDatabasePassword: 'wq8dZ0rTz1kS6yKcM3vXb5nPjL7gHfEa',
  workerDatabasePassword: 'Rk2uV9cYt4WmNs7xQd1BgZp6hJfLaEo3',
  ledgerProjectId: 'previewCanaryOfTheLedgerProject',
  email: 'canary@harbour.example',
  /** In every request, in a header that the service has no use for. */
  cookie: 'session=canary-of-a-cookie',
} as const satisfies Secrets & Readonly<Record<string, string>>;
