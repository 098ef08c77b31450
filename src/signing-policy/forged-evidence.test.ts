import { describe, expect, test } from '@jest/globals';
import { keys, openSlot, ttlSlot, wallet } from '../../test/chain/sample-context.ts';
import * as governance from '../../test/signing-policy/governance-samples.ts';
import { moved } from '../../test/signing-policy/moved.ts';
import { refusal } from '../../test/signing-policy/refusal.ts';
import { other, type Sample } from '../../test/signing-policy/samples.ts';
import * as samples from '../../test/signing-policy/samples.ts';
import { lovelace } from '../platform/units/money.ts';
import type { TransactionKind } from '../transactions/rules.ts';
import type { Utxo } from '../cardano/transaction.ts';
import { decodeTransaction } from './decoder.ts';

const thief = wallet(66);
const operatorAddress = keys.operator.address;

describe('an execution', () => {
  const { sale, stakingOut } = governance;
  const named = decodeTransaction(sale.built.cbor);

  test.each(named.requiredSigners.map((key) => [key]))('whose body does not name %s is not signed', (key) => {
    const transaction = { ...named, requiredSigners: named.requiredSigners.filter((one) => one !== key) };
    expect(refusal('execute', sale, { transaction })).toMatch(/does not name/);
  });

  test('does what was approved, at an address of the vault, within its phase', () => {
    const cheap = {
      type: 'ASSET_SALE',
      assetIds: ['asset-1'],
      terms: { price: lovelace(9n), buyerAddress: null },
    } as const;
    expect(refusal('execute', sale, { evidence: { approved: cheap } })).toMatch(/something else/);
    expect(refusal('execute', sale, { evidence: { approved: { ...sale.evidence.effect, assetIds: [] } } })).toMatch(
      /something else/,
    );
    expect(refusal('execute', stakingOut, { evidence: { stakingAddresses: [] } })).toMatch(/does not stake at/);
    expect(refusal('execute', sale, { evidence: { lastSlot: ttlSlot - 1 } })).toMatch(/after its execution phase/);
  });

  test('sells for no less than half of the market, and buys for no more than twice of it, where the vote left the price open', () => {
    const { purchase } = governance;
    const sold = (marketValue: bigint) => refusal('execute', sale, { evidence: { marketValue } });
    const bought = (marketValue: bigint) => refusal('execute', purchase, { evidence: { marketValue } });
    expect([sold(100_000_000n), bought(25_000_000n)]).toEqual([null, null]);
    expect(sold(100_000_002n)).toMatch(/less than half/);
    expect(bought(24_999_999n)).toMatch(/more than twice/);
  });

  test('brings staked assets back with the ADA of their holder, and none of the operator beside the fee', () => {
    const { stakingBack } = governance;
    const outputs = stakingBack.built.outputs;
    const change = outputs.findIndex(({ address }) => address === operatorAddress);
    const transaction = moved(stakingBack.built.cbor, [change, 0], 1n);
    expect(refusal('execute', stakingBack, { transaction })).toMatch(/operator pays 1 lovelace/);
    const rest = outputs.findIndex(({ address }) => address === other.address);
    const kept = moved(stakingBack.built.cbor, [0, rest], 120_681n);
    expect(refusal('execute', stakingBack, { transaction: kept })).toMatch(/return with the assets, below/);
    expect(
      refusal('execute', stakingBack, { transaction: moved(stakingBack.built.cbor, [0, rest], 120_680n) }),
    ).toBeNull();
  });

  describe('of a vote', () => {
    const { vote } = sale.evidence;
    const { created, closed } = vote;
    const forged = (change: Partial<typeof vote>) =>
      refusal('execute', sale, { evidence: { vote: { ...vote, ...change } } });
    const fact = ({ fact: anchored, slot }: typeof created, change: object) => ({
      fact: { ...anchored, ...change },
      slot,
    });

    test('waits half of the shortest lock phase since its end was on the ledger, and of both phases since it was proposed', () => {
      expect(forged({})).toBeNull();
      expect(forged({ closed: { ...closed, slot: closed.slot + 1 } })).toMatch(/its vote ended too short a time ago/);
      expect(forged({ created: { ...created, slot: created.slot + 1 } })).toMatch(/proposed too short a time ago/);
    });

    test('that did not pass it, or of another proposal or vault, is not enough', () => {
      expect(forged({ closed: fact(closed, { outcome: 'rejected' }) })).toMatch(/did not pass/);
      expect(forged({ closed: fact(closed, { proposalId: 'proposal-2' }) })).toMatch(/end of another vote/);
      expect(forged({ closed: created })).toMatch(/end of another vote/);
      expect(forged({ created: fact(created, { vaultId: 'vault-2' }) })).toMatch(/another proposal was anchored/);
      expect(forged({ created: closed })).toMatch(/another proposal was anchored/);
    });

    test.each([
      ['type', { type: 'BUY' }],
      ['asset', { assetIds: ['asset-2'] }],
      ['number of assets', { assetIds: [] }],
      ['price', { terms: { price: '9', buyerAddress: samples.other.address } }],
      ['buyer', { terms: { price: '50000000', buyerAddress: null } }],
      ['term left out', { terms: {} }],
    ])('does what was proposed, with no other %s', (_what, change) => {
      const effect = { ...(created.fact['effect'] as object), ...change };
      expect(forged({ created: fact(created, { effect }) })).toMatch(/something else was anchored/);
    });
  });

  test('of a decision names its proposal', () => {
    const proposalId = 'proposal-2';
    const { vote } = governance.decision.evidence;
    const ofOther = ({ fact, slot }: typeof vote.created) => ({ fact: { ...fact, proposalId }, slot });
    const evidence = { proposalId, vote: { ...vote, created: ofOther(vote.created), closed: ofOther(vote.closed) } };
    expect(refusal('execute', governance.decision, { evidence })).toMatch(/another decision/);
  });
});

test.each<[TransactionKind, Sample]>([
  ['create_vault', samples.creation],
  ['execute', governance.stakingOut],
  ['hand_over', governance.handOver],
  ['move_custody', samples.move],
])('the operator pays what outputs of others lack, and not one lovelace more, in %s', (kind, sample) => {
  const { outputs, cbor } = sample.built;
  const change = outputs.findLastIndex(({ address }) => address === operatorAddress);
  const receiver = outputs.findIndex(({ address }) => address !== operatorAddress);
  expect(refusal(kind, sample)).toBeNull();
  expect(refusal(kind, sample, { transaction: moved(cbor, [change, receiver], 1n) })).toMatch(/operator pays/);
});

test("the operator's own wallet adds no assets where the environment of the worker does not let it", () => {
  expect(refusal('add_asset', samples.addAsset)).toBeNull();
  expect(refusal('add_asset', samples.addAsset, { evidence: { mayDeposit: false } })).toMatch(/adds no assets/);
});

test('what the operator claims itself goes to nobody else', () => {
  const { claim } = governance;
  const own = ({ address, ...held }: Utxo): Utxo => ({
    ...held,
    address: address === samples.owner.address ? operatorAddress : address,
  });
  const honest = decodeTransaction(claim.built.cbor);
  const paying = (to: string) => ({
    ...honest,
    outputs: honest.outputs.map((output) =>
      output.address === samples.owner.address ? { ...output, address: to } : output,
    ),
  });
  const spent = claim.built.inputs.map(own);
  const signing = { asked: ['operator', 'vault'], signedBy: new Set<string>() } as const;
  expect(refusal('claim', claim, { transaction: paying(operatorAddress), spent, signing })).toBeNull();
  expect(refusal('claim', claim, { transaction: paying(thief.address), spent, signing })).toMatch(/pays/);
});

test('a stake returns only with a body that names its owner', () => {
  const { unstake } = samples;
  const transaction = { ...decodeTransaction(unstake.built.cbor), requiredSigners: [samples.vaultKeyHash] };
  expect(refusal('unstake', unstake, { transaction })).toMatch(/does not name the owner/);
});

test('what the platform has made is not returned as a gift', () => {
  const { unsolicited } = samples;
  expect(refusal('return_unsolicited', unsolicited, { evidence: { foreign: new Set() } })).toMatch(/has signed/);
});

test('an anchor carries the root of its batch', () => {
  expect(refusal('anchor', samples.anchor, { evidence: { root: 'cd'.repeat(32) } })).toMatch(/another root/);
});

describe('a vault that ends', () => {
  const { claim, closing, handOver, remainder } = governance;

  test('pays no claim more than was recorded, nor more than its tokens are worth by the pot on the ledger', () => {
    expect(refusal('claim', claim, { evidence: { payout: 19_000_000n } })).toMatch(/lose/);
    expect(refusal('claim', claim, { evidence: { amount: 300n } })).toMatch(/other assets than meant/);
    const pot = { ...claim.evidence.pot, lovelace: 90_000_000n };
    expect(refusal('claim', claim, { evidence: { pot } })).toMatch(/more than the share/);
  });

  test('pays a claim only with the signature of a wallet, never of the operator for another one', () => {
    const operatorPays = { ...claim.built.inputs[0]!, address: samples.anchor.built.outputs[0]!.address };
    const spent = [operatorPays, ...claim.built.inputs.slice(1)];
    expect(refusal('claim', claim, { spent })).toMatch(/spends an output at/);
  });

  test('hands over no other asset, no other quantity, and to nobody else', () => {
    const [first] = handOver.evidence.handed;
    const forged = (change: object) =>
      refusal('hand_over', handOver, { evidence: { handed: [{ ...first!, ...change }] } });
    expect(forged({ quantity: 2n })).toMatch(/other assets than meant/);
    expect(forged({ unit: samples.ft })).toMatch(/other assets than meant/);
    expect(forged({ address: thief.address })).toMatch(/pays/);
  });

  test('pays no other remainder, and gives the operator no more than it lent', () => {
    expect(refusal('pay_remainder', remainder, { evidence: { remainder: 20_000_000n } })).toMatch(/of a remainder of/);
    expect(refusal('pay_remainder', remainder, { evidence: { recipient: thief.address } })).toMatch(/pays/);
    expect(refusal('pay_remainder', remainder, { evidence: { float: 0n } })).toMatch(/the operator gains/);
    expect(refusal('close_vault', closing, { evidence: { float: -9_000_000_000n } })).toMatch(/that it lent/);
    // The ledger says how many outputs it lent for, whatever a row says of the sum.
    expect(refusal('pay_remainder', remainder, { evidence: { float: 9n ** 12n, pots: 0 } })).toMatch(/gains/);
  });

  describe('by what the ledger says', () => {
    const { end } = governance;
    const forged = (change: Partial<typeof end>) =>
      refusal('gather_pot', governance.gathering, { evidence: { end: { ...end, ...change } } });
    const { decision } = end;
    if (!decision) throw new Error('the end of the sample was not decided');
    const decided = (change: Partial<typeof decision>) => forged({ decision: { ...decision, ...change } });
    const to = (change: Partial<typeof end.recipients>) => forged({ recipients: { ...end.recipients, ...change } });

    test('names nobody but those that the proposal and the terms in the mint name', () => {
      expect(forged({})).toBeNull();
      expect(to({ remainingAssetsTo: thief.address })).toMatch(/its assets/);
      expect(to({ remainingAssetsTo: null })).toMatch(/its assets/);
      expect(to({ unclaimedLovelaceTo: thief.address })).toMatch(/what is left/);
      expect(to({ handedAssets: [{ assetId: 'asset-1', address: thief.address }] })).toMatch(/single assets/);
      expect(to({ handedAssets: [] })).toMatch(/single assets/);
      expect(forged({ terms: { ...end.terms, unclaimedLovelaceTo: thief.address } })).toMatch(/what is left/);
    });

    test('needs a decision that its key has signed, after its proposal was anchored', () => {
      const { created } = decision;
      const fact = (change: object) => decided({ created: { ...created, fact: { ...created.fact, ...change } } });
      expect(forged({ decision: null })).toMatch(/is missing/);
      expect(decided({ created: { ...created, slot: created.slot + 1 } })).toMatch(/after the decision was signed/);
      expect(decided({ proposalId: 'proposal-2' })).toMatch(/another proposal/);
      expect(fact({ vaultId: 'vault-2' })).toMatch(/another proposal/);
      expect(fact({ effect: { type: 'BUY', terms: {} } })).toMatch(/does not end the vault/);
    });

    test('or ends by its terms: after its duration, and with whom they name', () => {
      const recipients = { remainingAssetsTo: null, unclaimedLovelaceTo: other.address, handedAssets: [] };
      const byItself = { reason: 'programmed_end', decision: null, recipients, endsFromSlot: openSlot } as const;
      expect(forged(byItself)).toBeNull();
      expect(forged({ ...byItself, reason: 'floor_price_deviation', endsFromSlot: null })).toBeNull();
      expect(forged({ ...byItself, endsFromSlot: openSlot + 1 })).toMatch(/does not end now/);
      expect(forged({ ...byItself, endsFromSlot: null })).toMatch(/does not end now/);
      expect(forged({ ...byItself, reason: 'cancelled' })).toMatch(/does not end now/);
      expect(forged({ ...byItself, recipients: end.recipients })).toMatch(/its assets/);
    });

    test.each([
      ['hand_over', governance.handOver],
      ['pay_remainder', governance.remainder],
    ] as const)('pays nobody else in %s while holders may still claim', (kind, sample) => {
      const claimed = (circulating: bigint, overFromSlot: number) =>
        refusal(kind, sample as Sample, { evidence: { claims: { circulating, overFromSlot } } });
      expect(claimed(400n, openSlot + 1)).toMatch(/may still claim/);
      expect([claimed(400n, openSlot), claimed(0n, openSlot + 1)]).toEqual([null, null]);
    });

    test.each([
      ['hand_over', governance.handOver],
      ['pay_remainder', governance.remainder],
      ['close_vault', governance.closing],
    ] as const)('also in %s', (kind, sample) => {
      expect(refusal(kind, sample as Sample, { evidence: { end: { ...end, decision: null } } })).toMatch(/is missing/);
    });
  });

  test('closes with its own tokens alone', () => {
    const policies = [samples.ft.slice(0, 56)];
    expect(refusal('close_vault', closing, { evidence: { policies } })).toMatch(/not a token of the vault/);
  });
});
