import { z } from 'zod';
import { reasonIn } from '../../src/cardano/ledger/http.ts';
import { ServiceError } from '../../src/platform/errors.ts';
import { type FaultSettings, FaultSettings as Faults } from '../ledger/faults.ts';

const TIMEOUT_MS = 10_000;

const Block = z.object({ height: z.int(), slot: z.int(), hash: z.string().optional() });
const Gift = z.object({ txHash: z.string(), policyId: z.string() });
const LedgerClock = z.object({ offsetMs: z.int(), slot: z.int() });

/** A gift of the faucet: amounts in decimal text, asset names in hex. */
export interface FaucetRequest {
  readonly address: string;
  readonly lovelace?: string;
  readonly assets: readonly { readonly assetNameHex: string; readonly quantity: string }[];
}

/** The price of one asset, or of all assets of a policy that have no price of their own. */
export interface PriceRequest {
  readonly policyId: string;
  readonly assetNameHex?: string;
  readonly lovelace: string;
  readonly decimals?: number;
  readonly asOf?: string;
}

export type LedgerControls = ReturnType<typeof ledgerControls>;

/**
 * The development endpoints of the embedded ledger at `root`. Every call throws LEDGER_UNAVAILABLE, or LEDGER_SWITCH_REFUSED with
 * the reason.
 */
export function ledgerControls(root: string) {
  async function call<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    body?: unknown,
  ): Promise<z.infer<Schema>> {
    const { status, text } = await post(`${root}/dev/${path}`, body);
    if (status === 400) throw new ServiceError('LEDGER_SWITCH_REFUSED', { reason: reasonIn(text) });
    if (status !== 200)
      throw new ServiceError('LEDGER_UNAVAILABLE', undefined, { cause: new Error(`${path}: ${status} ${text}`) });
    return schema.parse(JSON.parse(text));
  }

  return {
    give: (gift: FaucetRequest) => call('faucet', Gift, gift),
    clock: () => call('clock', LedgerClock),
    moveClock: (offsetMs: number) => call('clock', z.object({ slot: z.int() }), { offsetMs }),
    /** Makes at least this many blocks, and more until the mempool is empty. */
    mine: (blocks: number) => call('mine', Block, { blocks }),
    rollback: (blocks: number) => call('rollback', Block.required(), { blocks }),
    setFaults: (faults: FaultSettings) => call('faults', Faults, faults),
    setPrice: (price: PriceRequest) => call('prices', z.object({ decimals: z.int() }), price),
    /** Number of transactions in the mempool. */
    waiting: async () => (await call('mempool', z.object({ size: z.int() }))).size,
  };
}

async function post(url: string, body: unknown): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json' };
  const post = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
  try {
    const response = await fetch(url, { ...post, signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { status: response.status, text: await response.text() };
  } catch (cause) {
    throw new ServiceError('LEDGER_UNAVAILABLE', undefined, { cause });
  }
}
