import type { FaultSettings } from '../../embedded/ledger/faults.ts';
import { apiClient } from './api-client.ts';

interface Gift {
  readonly address: string;
  /** Decimal string. */
  readonly lovelace?: string;
  readonly assets?: readonly { readonly assetNameHex: string; readonly quantity: string }[];
}

/** The ledger rolls back no more blocks in one request. */
const MOST_AT_ONCE = 100;

/** The switches of a stack's own ledger. Every call throws when the ledger refuses it. */
export function ledgerClient(url: string) {
  const http = apiClient(() => url, null);
  async function post<Body>(path: string, body: unknown): Promise<Body> {
    return expectOk(path, await http.post<Body>(path, body));
  }
  async function get<Body>(path: string): Promise<Body> {
    return expectOk(path, await http.get<Body>(path));
  }
  async function query<Body>(path: string): Promise<Body | null> {
    const answer = await http.get<Body>(`/api/v0${path}`);
    return answer.status === 404 ? null : expectOk(path, answer);
  }
  const tipHeight = async () => (await query<{ height: number }>('/blocks/latest'))?.height ?? 0;
  /** Removes blocks, and makes others: only the blocks of another fork show that it was no lagging backend. */
  async function rollback(blocks: number): Promise<void> {
    await post('/dev/rollback', { blocks });
    await post('/dev/mine', { blocks });
  }
  return {
    url,
    /** Any Blockfrost call, as `/addresses/{address}/utxos`; not found is null. */
    query,
    faucet: (gift: Gift) => post<{ txHash: string; policyId: string }>('/dev/faucet', gift),
    mine: (blocks = 1) => post<{ height: number; slot: number }>('/dev/mine', { blocks }),
    rollback,
    /** Rolls back every block from this height on, those too that are made meanwhile. */
    async rollbackFrom(height: number): Promise<void> {
      const first = await tipHeight();
      for (let tip = first; tip >= height; tip = await tipHeight())
        await post('/dev/rollback', { blocks: Math.min(MOST_AT_ONCE, tip - height + 1) });
      for (let left = first - height + 1; left > 0; left -= MOST_AT_ONCE)
        await post('/dev/mine', { blocks: Math.min(MOST_AT_ONCE, left) });
    },
    /** Replaces all faults; an empty object ends them. */
    faults: (settings: FaultSettings) => post<FaultSettings>('/dev/faults', settings),
    clock: () => get<{ offsetMs: number; slot: number; nowMs: number }>('/dev/clock'),
    setClock: (offsetMs: number) => post<{ slot: number; nowMs: number }>('/dev/clock', { offsetMs }),
    /** Sends a signed transaction, in hex, past the service. */
    async submit(signed: string): Promise<{ status: number; text: string }> {
      const headers = { 'content-type': 'application/cbor' };
      const response = await fetch(`${url}/api/v0/tx/submit`, {
        method: 'POST',
        headers,
        body: Buffer.from(signed, 'hex'),
      });
      return { status: response.status, text: await response.text() };
    },
    /** Loses what waits for a block, as a node that starts again. */
    forgetMempool: () => post<unknown>('/dev/mempool/forget', {}),
    mempoolSize: async () => (await get<{ size: number }>('/dev/mempool')).size,
    /** What the price feed says; `-` is the floor price of a policy. */
    price: (policyId: string, assetNameHex = '-') =>
      get<{ lovelace: string; decimals?: number }>(`/prices/${policyId}/${assetNameHex}`),
    setPrice: (price: {
      policyId: string;
      assetNameHex?: string;
      lovelace: string;
      decimals?: number;
      asOf?: string;
      supply?: string;
      depth?: string;
    }) => post<unknown>('/dev/prices', price),
  };
}

function expectOk<Body>(path: string, { status, body }: { status: number; body: Body }): Body {
  if (status !== 200) throw new Error(`the ledger answered ${status} to ${path}: ${JSON.stringify(body)}`);
  return body;
}
