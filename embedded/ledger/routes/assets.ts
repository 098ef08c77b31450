import { type Request, Router } from 'express';
import { Refusal, pageOf, requireFound } from '../http-response.ts';
import type { Ledger } from '../ledger.ts';
import { metadataJson } from '../metadata-json.ts';
import { metadataOf } from '../transaction-view.ts';
import { blake2b } from '@noble/hashes/blake2.js';
import type { ChainState } from '../chain-state.ts';
import type { AssetHistory } from '../history.ts';

/** GET /assets/{unit}, its addresses, its history, and /metadata/txs/labels/{label}. */
export function assetRoutes({ chain }: Ledger): Router {
  const router = Router();

  function asked(req: Request<{ unit: string }>) {
    const { unit } = req.params;
    if (!/^[0-9a-f]{56}([0-9a-f]{2}){0,32}$/.test(unit)) throw new Refusal(400, 'Invalid or malformed asset format.');
    return { unit, history: requireFound(chain.history.asset(unit)) };
  }

  router.get('/assets/:unit', (req, res) => {
    const { unit, history } = asked(req);
    res.json({
      asset: unit,
      policy_id: unit.slice(0, 56),
      asset_name: unit.slice(56) || null,
      fingerprint: assetFingerprint(unit),
      quantity: String(history.quantity),
      initial_mint_tx_hash: history.mints[0],
      mint_or_burn_count: history.mints.length,
      ...onchainMetadata(chain, unit, history),
      metadata: null,
    });
  });
  router.get('/assets/:unit/addresses', (req, res) => {
    const { unit } = asked(req);
    const held = new Map<string, bigint>();
    for (const { output } of chain.utxos.holding(unit)) {
      held.set(output.address, (held.get(output.address) ?? 0n) + (output.amounts.get(unit) ?? 0n));
    }
    res.json(pageOf(req, [...held]).map(([address, quantity]) => ({ address, quantity: String(quantity) })));
  });
  router.get('/assets/:unit/history', (req, res) => {
    const { unit, history } = asked(req);
    const rows = pageOf(req, history.mints).map((tx_hash) => {
      const amount = chain.viewOf(tx_hash).mint.get(unit) ?? 0n;
      return { tx_hash, action: amount < 0n ? 'burned' : 'minted', amount: String(amount) };
    });
    res.json(rows);
  });
  router.get('/metadata/txs/labels/:label', (req, res) => {
    const { label } = req.params;
    if (!/^\d{1,19}$/.test(label)) throw new Refusal(400, 'Missing, out of range or malformed label.');
    const rows = pageOf(req, chain.history.ofLabel(label)).map((tx_hash) => {
      const metadata = metadataJson(metadataOf(requireFound(chain.history.transaction(tx_hash)).cbor));
      return { tx_hash, json_metadata: metadata.find((entry) => entry.label === label)?.json_metadata ?? null };
    });
    requireFound(rows[0]);
    res.json(rows);
  });
  return router;
}

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** The CIP-14 fingerprint of an asset. */
function assetFingerprint(unit: string): string {
  return bech32('asset', blake2b(Buffer.from(unit, 'hex'), { dkLen: 20 }));
}

function bech32(prefix: string, bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const words = (bits.match(/.{5}/g) ?? []).map((word) => Number.parseInt(word, 2));
  const letters = [...Buffer.from(prefix)];
  const checked = [...letters.map((code) => code >> 5), 0, ...letters.map((code) => code & 31), ...words];
  const sum = polymod([...checked, 0, 0, 0, 0, 0, 0]) ^ 1;
  const checksum = [25, 20, 15, 10, 5, 0].map((shift) => (sum >> shift) & 31);
  return `${prefix}1${[...words, ...checksum].map((word) => ALPHABET.charAt(word)).join('')}`;
}

function polymod(values: number[]): number {
  return values.reduce((sum, value) => {
    const top = sum >>> 25;
    const next = ((sum & 0x1ffffff) << 5) ^ value;
    return GENERATOR.reduce((mixed, generator, bit) => ((top >> bit) & 1 ? mixed ^ generator : mixed), next);
  }, 1);
}

/** What an asset's newest mint says about it by CIP-25 (label 721); nulls when it says nothing. */
function onchainMetadata(chain: ChainState, unit: string, { mints }: AssetHistory) {
  const newest = mints.at(-1);
  const transaction = newest === undefined ? undefined : chain.history.transaction(newest);
  const label = metadataJson(transaction && metadataOf(transaction.cbor)).find((entry) => entry.label === '721');
  const policy = field(label?.json_metadata, unit.slice(0, 56));
  const name = Buffer.from(unit.slice(56), 'hex').toString('utf8');
  const own = field(policy, name);
  return {
    onchain_metadata: own ?? null,
    onchain_metadata_standard: own === undefined ? null : 'CIP25v1',
    onchain_metadata_extra: null,
  };
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
