import { Router } from 'express';
import { readBech32 } from '../../../src/cardano/scripts/address.ts';
import { notFound, pageOf, Refusal } from '../http-response.ts';
import type { Ledger } from '../ledger.ts';
import { network } from '../network.ts';

/** Header, payment credential, stake credential (CIP-19). */
const BASE_ADDRESS_BYTES = 57;

/** GET /accounts/{stake_address}/addresses. As with Blockfrost, a stake address that no address was used with is 404. */
export function accountRoutes({ chain }: Ledger): Router {
  const router = Router();
  router.get('/accounts/:stakeAddress/addresses', (req, res) => {
    const credential = stakeCredential(req.params.stakeAddress);
    if (credential === null) throw new Refusal(400, 'Invalid or malformed stake address format.');
    const found = [...chain.history.addresses()].filter((address) => credentialOf(address) === credential);
    if (found.length === 0) throw notFound();
    res.json(pageOf(req, found).map((address) => ({ address })));
  });
  return router;
}

/** The stake credential in hex, with whether it is a key or a script; null for what is no stake address of this network. */
function stakeCredential(text: string): string | null {
  const { bytes } = readBech32(text) ?? {};
  const header = bytes?.[0] ?? 0;
  if (!bytes || header >> 4 < 14 || (header & 0x0f) !== network.id) return null;
  return `${header >> 4 === 14 ? 'key' : 'script'} ${hexOf(bytes.subarray(1))}`;
}

/** The stake credential of a base address, as `stakeCredential`; null for an address without one. */
function credentialOf(address: string): string | null {
  const { bytes } = readBech32(address) ?? {};
  if (bytes?.length !== BASE_ADDRESS_BYTES) return null;
  return `${(bytes[0] ?? 0) >> 4 < 2 ? 'key' : 'script'} ${hexOf(bytes.subarray(29))}`;
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
