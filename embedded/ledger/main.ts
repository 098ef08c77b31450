import { z } from 'zod';
import { startLedger } from './server.ts';
import { testnetAddress } from './testnet-address.ts';

const natural = (least: number, most: number) => z.coerce.number().int().min(least).max(most);

const Fundings = z.array(
  z.strictObject({
    address: z.string().refine((text) => testnetAddress(text) !== undefined, 'must be a testnet address'),
    lovelace: z.union([z.string().regex(/^[1-9]\d{0,15}$/), z.int().min(1)]).transform(BigInt),
    count: z.int().min(1).max(10_000),
  }),
);

const Environment = z.object({
  LEDGER_PORT: natural(0, 65_535).default(0),
  LEDGER_DATA_DIR: z.string().min(1),
  LEDGER_BLOCK_MS: natural(0, 600_000).default(1000),
  LEDGER_GENESIS: z
    .string()
    .default('[]')
    .transform((text): unknown => JSON.parse(text))
    .pipe(Fundings),
});

const settings = Environment.parse(process.env);
const ledger = await startLedger({
  port: settings.LEDGER_PORT,
  dataDir: settings.LEDGER_DATA_DIR,
  blockMs: settings.LEDGER_BLOCK_MS,
  fundings: settings.LEDGER_GENESIS,
});
process.stdout.write(`${JSON.stringify({ ready: true, url: ledger.url })}\n`);

let closing: Promise<void> | undefined;
// 'disconnect' comes when a parent with an IPC channel dies: no ledger is left behind.
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) {
  process.on(signal, () => {
    closing ??= ledger.close();
  });
}
