#!/usr/bin/env node
/** Checks that a fact (a proposal, an endorsement, a vote …) is anchored on the ledger. See docs/guides/verification.md. */
import { blake2b } from '@noble/hashes/blake2.js';

const [proofUrl, ledgerUrl, apiKey] = process.argv.slice(2);
if (!apiKey) {
  console.error('Usage: check-anchor.mjs PROOF_URL LEDGER_URL API_KEY');
  process.exit(2);
}
const read = async (url) => (await fetch(url, { headers: { 'x-api-key': apiKey } })).json();
const hash = (...hex) => Buffer.from(blake2b(Buffer.from(hex.join(''), 'hex'), { dkLen: 32 })).toString('hex');

const { data, error } = await read(proofUrl);
if (error) throw new Error(`${error.message}: ${proofUrl}`);
const { fact, path, txHash } = data;

// A leaf is hashed behind 00, two nodes of the tree behind 01.
const up = (node, { side, hash: other }) => (side === 'left' ? hash('01', other, node) : hash('01', node, other));
const root = path.reduce(up, hash('00', Buffer.from(fact).toString('hex')));

const metadata = await read(`${ledgerUrl}/txs/${txHash}/metadata`);
const anchored = metadata.find(({ label }) => label === '868483').json_metadata.root;
console.log(root === anchored ? `on the ledger, in ${txHash}: ${fact}` : 'NOT on the ledger');
