import { describe, expect, test } from '@jest/globals';
import { deadlineSlot, ttlSlot, wallet } from '../../test/chain/sample-context.ts';
import { finish } from '../../test/signing-policy/finish.ts';
import { moved } from '../../test/signing-policy/moved.ts';
import { refusal } from '../../test/signing-policy/refusal.ts';
import { other, owner, supply, vault } from '../../test/signing-policy/samples.ts';
import * as samples from '../../test/signing-policy/settlement-samples.ts';
import { blake2b256 } from '../cardano/blake2b.ts';
import { ServiceError } from '../platform/errors.ts';
import { commitmentSteps } from '../settlement/rules/plan-commitment.ts';
import { refText } from '../transactions/rules.ts';
import { baseUnits, basisPoints, lovelace } from '../platform/units/money.ts';
import { decodeTransaction } from './decoder.ts';
import { requireAsCommitted, requireValuedAsPriced, requirePlanned } from './rules/settlement.ts';

const thief = wallet(66);

/** Why the policy refuses something; null when it allows it. */
function reasonOf(work: () => void): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return error instanceof ServiceError ? String(error.details?.['reason']) : String(error);
  }
}

describe('a delivery', () => {
  const { deliver } = samples;
  const { owed, plan } = deliver.evidence;
  /** Why it is not signed when rows say something else. */
  const rowsSay = (forged: typeof owed) => refusal('deliver', deliver, { evidence: { owed: forged } });
  const outputOf = (address: string) => deliver.built.outputs.findIndex((output) => output.address === address);

  test.each([
    ['from one owner to another', outputOf(owner.address), outputOf(other.address), /at least \d+ are owed/],
    ['from the settlement to an owner', 0, outputOf(owner.address), /lose -?\d+ lovelace/],
    ['from an owner to the settlement', outputOf(owner.address), 0, /at least \d+ are owed/],
  ])('moves no lovelace %s beyond the plan', (_between, from, to, reason) => {
    const transaction = moved(deliver.built.cbor, [from, to], 500_000n);
    expect(refusal('deliver', deliver, { transaction })).toMatch(reason);
  });

  test('pays nobody whom the script of the deposit does not name, whatever its row says', () => {
    const forged = owed.map((one) => ({ ...one, owner: thief.address }));
    expect(rowsSay(forged)).toMatch(/spends an output at/);
  });

  test('spends no deposit for which nothing is owed, and none that does not hold its investment', () => {
    expect(rowsSay(owed.slice(1))).toMatch(/nothing is owed/);
    const more = owed.map((one) => ({ ...one, invested: lovelace(one.invested + 60_000_000n) }));
    expect(rowsSay(more)).toMatch(/does not hold its investment/);
  });

  test('gives no other tokens than the plan', () => {
    expect(rowsSay(owed)).toBeNull();
    const [first, ...rest] = samples.plan.shares;
    const more = [{ ...first!, ft: supply }, ...rest];
    const shares = new Map(more.map((share) => [refText(share.deposit), share]));
    const evidence = { owed: more, plan: { ...plan, shares } };
    expect(refusal('deliver', deliver, { evidence })).toMatch(/other assets than meant/);
  });

  describe('by a mint that has committed to its plan', () => {
    const [share] = samples.plan.shares.toReversed();
    if (!share) throw new Error('the sample has no contributor');
    /** What is owed when rows say something else of what the contributor gets. */
    const shifted = (change: Partial<typeof share>) =>
      owed.map((one) => (one.deposit === share.deposit ? { ...share, ...change } : one));

    test.each([
      ['FT', { ft: baseUnits(share.ft - 1n) }, /to another share for/],
      ['ADA', { lovelace: lovelace(share.lovelace - 1n) }, /to another share of the ADA/],
      ['investment', { invested: lovelace(1n) }, /holds assets besides its investment/],
    ])('gives nobody other %s than that', (_what, change, reason) => {
      expect(refusal('deliver', deliver, { evidence: { owed: shifted(change) } })).toMatch(reason);
      expect(() => {
        requireAsCommitted({ slot: ttlSlot }, vault, shifted(change), plan);
      }).toThrow(expect.objectContaining({ code: 'TRANSACTION_NOT_JUSTIFIED' }));
    });

    test('gives nothing for a deposit that the plan leaves out', () => {
      const { deposit } = share;
      const shares = new Map([...plan.shares].filter(([ref]) => ref !== refText(deposit)));
      expect(refusal('deliver', deliver, { evidence: { plan: { ...plan, shares } } })).toMatch(/another share/);
    });

    test('gives contributors less ADA only from T on, and then what the terms give of what is left', () => {
      const kept = 40_000_000n;
      const total = kept - (kept * plan.terms.lpPercentage) / (2n * plan.terms.ftPercentage);
      const evaluatedAt = (slot: number, amount: bigint) => () => {
        const revised = shifted({ lovelace: lovelace(amount) });
        requireAsCommitted({ slot }, vault, revised.slice(-1), { ...plan, kept });
      };
      expect(evaluatedAt(deadlineSlot, total)).not.toThrow();
      expect(evaluatedAt(deadlineSlot - 1, total)).toThrow();
      expect(evaluatedAt(deadlineSlot, total - 1n)).toThrow();
      expect(evaluatedAt(deadlineSlot, share.lovelace)).toThrow();
    });
  });
});

describe('tokens', () => {
  const { mint } = samples;

  test('are minted once', () => {
    const earlierMint = 'ab'.repeat(32);
    expect(refusal('mint', mint, { evidence: { earlierMint } })).toMatch(/has minted the tokens/);
  });

  test('are minted for the custody and the terms with which their vault was created, whatever its rows say', () => {
    const { creation } = mint.evidence;
    const request = (evidence: Partial<typeof mint.evidence>) => refusal('mint', mint, { evidence });
    const at = (custody: string | null) => request({ creation: { ...creation, custody } });
    expect(at(thief.address)).toMatch(/created with the custody/);
    expect(at(null)).toMatch(/created with the custody/);
    expect(request({ terms: 'ab'.repeat(32) })).toMatch(/created with other terms/);
    expect(request({ creation: { ...creation, terms: 'ab'.repeat(32) } })).toMatch(/created with other terms/);
    // It has committed to none.
    expect(request({ creation: { ...creation, terms: null } })).toMatch(/created with other terms/);
  });

  test.each([
    ['supply', { supply: 5n }, /mints other tokens/],
    ['decimals', { decimals: 0 }, /other decimals/],
    ['name', { ftName: 'ff' }, /mints other tokens/],
  ])('are minted with no other %s', (_what, evidence, reason) => {
    expect(refusal('mint', mint, { evidence })).toMatch(reason);
  });

  test('lie in one output, which shows how many are not delivered yet', () => {
    const transaction = decodeTransaction(mint.built.cbor);
    const outputs = transaction.outputs.flatMap((output) => {
      if (output.address !== vault.settlement) return [output];
      const part = { ...output, assets: new Map(), lovelace: lovelace(1_000_000n) };
      return [{ ...output, lovelace: lovelace(output.lovelace - part.lovelace) }, part];
    });
    expect(refusal('mint', mint, { transaction: { ...transaction, outputs } })).toMatch(/divides the settlement/);
  });

  describe('for a plan', () => {
    const { plan, held } = mint.evidence;
    const shared = (change: (share: (typeof plan.shares)[number]) => object) => ({
      ...plan,
      shares: plan.shares.map((share) => ({ ...share, ...change(share) })),
    });
    /** Why a mint is refused that commits to a forged plan. */
    const refused = (forged: typeof plan, deposits = held) =>
      reasonOf(() => {
        finish(requirePlanned({ networkId: 0 }, vault, { plan: forged, held: deposits }));
      });

    test('are evaluated in as many steps as it has shares, and more', () => {
      expect([...requirePlanned({ networkId: 0 }, vault, { plan, held })]).toHaveLength(plan.shares.length);
      expect([...commitmentSteps(blake2b256, plan)].length).toBeGreaterThan(2 * plan.shares.length);
    });

    test('commit to it', () => {
      expect(refused(plan)).toBeNull();
      const forged = shared((share) => (share.owner === owner.address ? { owner: thief.address } : {}));
      expect(refusal('mint', mint, { evidence: { plan: forged } })).toMatch(/commits to another plan/);
      const terms = { ...plan.terms, termination: { ...plan.terms.termination, unclaimedLovelaceTo: thief.address } };
      expect(refusal('mint', mint, { evidence: { plan: { ...plan, terms } } })).toMatch(/commits to another plan/);
      const transaction = { ...decodeTransaction(mint.built.cbor), metadata: null };
      expect(refusal('mint', mint, { transaction })).toMatch(/commits to another plan/);
    });

    test('give no investor more than their part, and leave no supply over for others', () => {
      expect(refused(shared(({ ft }) => ({ ft: baseUnits(ft + 1_000n) })))).toMatch(/gives another part/);
      expect(refused({ ...plan, shares: plan.shares.slice(1) })).toMatch(/gives another part/);
      expect(refused({ ...plan, terms: { ...plan.terms, ftPercentage: basisPoints(9_000n) } })).toMatch(/another part/);
      const [first, ...rest] = plan.shares;
      const oneMore = { ...first!, ft: baseUnits(first!.ft + 1n) };
      expect(refused({ ...plan, shares: [oneMore, ...rest] })).toMatch(/its plan gives/);
    });

    test('give no contributor more of the ADA than their part', () => {
      const forged = shared(({ value, lovelace: share }) => ({ lovelace: lovelace(value > 0n ? share + 2n : 0n) }));
      expect(refused(forged)).toMatch(/gives another part/);
    });

    test('count no deposit that is not on the ledger, of another owner, of another amount, or twice', () => {
      expect(refused(plan, new Map([...held].slice(1)))).toMatch(/is not on the ledger/);
      expect(refused(shared(() => ({ owner: thief.address })))).toMatch(/spends an output at/);
      expect(refused(shared(({ invested }) => ({ invested: lovelace(2n * invested) })))).toMatch(/its investment/);
      expect(refused({ ...plan, shares: [...plan.shares, plan.shares[0]!] })).toMatch(/twice/);
    });

    test('count no other asset than lies on the ledger, and no more of it', () => {
      const counted = (change: (asset: [string, bigint]) => [string, bigint]) =>
        shared(({ contributed }) => ({ contributed: new Map([...contributed].map(change)) }));
      expect(refused(counted(([unit, quantity]) => [unit, quantity * 1_000n]))).toMatch(/other assets than counted/);
      expect(refused(counted(([, quantity]) => ['ff'.repeat(30), quantity]))).toMatch(/other assets than counted/);
    });
  });

  describe('for what assets count with', () => {
    const { plan, counted } = mint.evidence;
    const [ref, priced] = [...counted.prices][0]!;
    const at = (change: Partial<typeof priced.price>, isSealed = true) => ({
      prices: new Map([[ref, { ...priced, isSealed, price: { ...priced.price, ...change } }]]),
    });
    const refused = (forged: Partial<typeof counted>) =>
      refusal('mint', mint, { evidence: { counted: { ...counted, ...forged } } });
    const { lovelace: price } = priced.price;

    test('take the price that the worker has sealed, to the lovelace', () => {
      expect(refused(at({ lovelace: lovelace(price + 2n) }))).toMatch(/counts with 160000000 lovelace instead of/);
      expect(refused({ prices: new Map() })).toMatch(/nothing says what/);
    });

    test('take no price without a seal that is far from the market', () => {
      expect(refused(at({ lovelace: lovelace(price * 2n) }, false))).toBeNull();
      expect(refused(at({ lovelace: lovelace(price * 2n + 2n) }, false))).toMatch(/counts with/);
      expect(refused(at({ lovelace: lovelace(price / 2n) }, false))).toBeNull();
      expect(refused(at({ lovelace: lovelace(price / 2n - 2n) }, false))).toMatch(/counts with/);
    });

    test('count no more than the market can take, and what the terms of the vault give', () => {
      expect(refused(at({ marketLimit: lovelace(100_000_000n) }))).toMatch(/instead of 100000000/);
      expect(refused({ floorPricePercentage: basisPoints(8_001n) })).toMatch(/instead of 160020000/);
    });

    test('count deposits of one asset, of which the market takes no more, in the order in which the settlement does', () => {
      const [share] = plan.shares.filter(({ value }) => value > 0n);
      const ids = ['b', 'a'];
      const depositOrders = ids.map((id) => ({ ...priced.depositOrder, id }));
      // Asked for in the same millisecond and in one block: 160 ADA of the token each, of which the market takes 200.
      const price = { ...priced.price, marketLimit: lovelace(200_000_000n) };
      const prices = new Map(
        depositOrders.map((depositOrder, index) => [`${'01'.repeat(32)}#${index}`, { ...priced, price, depositOrder }]),
      );
      const inPlan = (...values: bigint[]) =>
        values.map((value, index) => {
          return { ...share!, deposit: { txHash: '01'.repeat(32), index }, value: lovelace(value) };
        });
      const request = (...values: bigint[]) => {
        return () => {
          requireValuedAsPriced(inPlan(...values), { ...counted, prices });
        };
      };
      expect(request(40_000_000n, 160_000_000n)).not.toThrow();
      expect(request(160_000_000n, 40_000_000n)).toThrow(
        expect.objectContaining({ code: 'TRANSACTION_NOT_JUSTIFIED' }),
      );
    });

    test('count a policy with no more than its share', () => {
      const [asset] = plan.shares.filter(({ value }) => value > 0n);
      const [unit] = asset!.contributed.keys();
      const shares = ['01', '02'].map((txHash) => ({
        ...asset!,
        deposit: { txHash, index: 0 },
        contributed: new Map([[txHash === '01' ? unit! : 'ee'.repeat(30), 1n]]),
      }));
      const [first, second] = shares;
      const prices = new Map([
        [refText(first!.deposit), { ...priced, price: { ...priced.price, lovelace: lovelace(3n * price) } }],
        [refText(second!.deposit), { ...priced, depositOrder: { ...priced.depositOrder, id: 'second' } }],
      ]);
      const request = (maxShare: bigint) => () => {
        requireValuedAsPriced(shares, { ...counted, prices, maxShare: basisPoints(maxShare) });
      };
      expect(request(5_000n)).not.toThrow();
      expect(request(10_000n)).toThrow(expect.objectContaining({ code: 'TRANSACTION_NOT_JUSTIFIED' }));
    });
  });

  test('are not minted after T', () => {
    const late = { ...decodeTransaction(mint.built.cbor), ttlSlot: deadlineSlot + 1 };
    expect(refusal('mint', mint, { transaction: late, signing: { slot: deadlineSlot } })).toMatch(/after T/);
  });
});

test('the operator gets no more of a settlement than its float', () => {
  const { liquidity } = samples;
  const transaction = moved(liquidity.built.cbor, [0, 1], 5_000_000n);
  expect(refusal('liquidity', liquidity, { transaction })).toMatch(/of a float/);
});
