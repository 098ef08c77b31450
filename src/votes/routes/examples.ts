import { canonicalJson } from '../../anchoring/rules/canonical-json.ts';
import { investor } from '../../transactions/routes/example-wallet.ts';

// Recorded on a development stack.

export const voteExample = {
  id: '01a1ffab-bca3-7191-b122-b892674b81e1',
  proposalId: '01a1ffab-b934-7c5b-93c8-e0b56ae57e57',
  wallet: investor,
  decision: 'APPROVE',
  amount: 271428.571429,
  amountBaseUnits: '271428571429',
  status: 'CONFIRMED',
  proof: '/api/v1/anchors/01a1ffab-bca3-7191-b122-b892674b81e1/proof',
  fact: canonicalJson({
    amount: '271428571429',
    castAt: '2026-11-23T19:55:18.441Z',
    decision: 'APPROVE',
    kind: 'vote_cast',
    proposalId: '01a1ffab-b934-7c5b-93c8-e0b56ae57e57',
    replaces: '01a1ffab-bc3f-71f0-9cb9-63bb61080ceb',
    vaultId: '01a1ffab-8344-7827-bd78-57c678beaaf0',
    voteId: '01a1ffab-bca3-7191-b122-b892674b81e1',
    wallet: investor,
  }),
  confirmationTx: '880df36c92509726eefe4310d995591738a3588cb0c82a4958a4cb149f41aa59',
  castAt: '2026-11-23T19:55:18.441Z',
  confirmedAt: '2026-11-23T19:55:18.840Z',
  signed: null,
};
