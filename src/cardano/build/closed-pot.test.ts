import { expect, test } from '@jest/globals';
import { utxo } from '../../../test/chain/sample-context.ts';
import { claimsScript } from '../scripts/vault-scripts.ts';
import { baseUnits, lovelace } from '../../platform/units/money.ts';
import { closedOf, closedUncounted } from './termination.ts';

const ADA = 1_000_000n;
const LEAST = 1_200_000n;
const script = claimsScript({ vaultKeyHash: 'ab'.repeat(28) });

/** The close of a pot with free outputs and outputs that claims hold, of these amounts; null when it has to wait. */
function closed(
  pot: bigint,
  { free, held = [] }: { free: readonly bigint[]; held?: readonly bigint[] },
  circulating = 5n,
) {
  const all = [...free, ...held].reduce((sum, coin) => sum + coin, 0n);
  const outputs = free.map((coin) => ({ utxo: utxo('the claims address', coin), script }));
  const found = { free: outputs, count: free.length + held.length, lovelace: all };
  const float = lovelace(all > pot ? all - pot : 0n);
  const close = (counted: bigint) =>
    closedOf({ pot: { lovelace: lovelace(counted), circulating: baseUnits(circulating) }, float }, found, LEAST);
  /** When `counted` is what the books say, and it was waited for. */
  const closeAtLast = (counted: bigint) =>
    closedUncounted({ pot: { lovelace: lovelace(counted), circulating: baseUnits(circulating) }, float }, found, LEAST);
  return { close, closeAtLast, result: close(pot), outputs };
}

test('an empty pot is closed whole, and so is one with what was rounded off and no tokens that circulate', () => {
  const { result, outputs } = closed(0n, { free: [ADA, ADA] });
  expect(result).toEqual({ inputs: outputs, claimable: 0n });
  expect(closed(88n, { free: [ADA, ADA] }, 0n).result).toMatchObject({ claimable: 0n });
  expect(closed(88n, { free: [5n * ADA, 5n * ADA] }).result).toMatchObject({ claimable: 88n + LEAST });
});

test('of a pot that can still be claimed one output stays, with its min-ADA', () => {
  const { result, outputs } = closed(70n * ADA, { free: [26n * ADA, 24n * ADA, 24n * ADA] });
  expect(result).toEqual({ inputs: outputs, claimable: 70n * ADA + LEAST });
});

test('claims that hold outputs keep nobody waiting: what they leave and what stays is the whole pot', () => {
  const { result } = closed(70n * ADA, { free: [26n * ADA, 26n * ADA], held: [27n * ADA] });
  // 27 ADA are held; with both outputs' min-ADA the pot needs 72.4.
  expect(result).toMatchObject({ claimable: 70n * ADA + 2n * LEAST - 27n * ADA });
  expect(closed(20n * ADA, { free: [10n * ADA], held: [30n * ADA] }).result).toMatchObject({ claimable: LEAST });
});

test('a pot waits while what is counted is not what lies there, and stays when nothing of it comes back', () => {
  expect(closed(70n * ADA, { free: [40n * ADA, 40n * ADA] }).close(69n * ADA)).toBeNull();
  expect(closed(70n * ADA, { free: [40n * ADA, 30n * ADA + LEAST] }).result).toEqual({ inputs: [], claimable: 0n });
});

test('what lies in a pot and was never counted stays there at last, and the operator gets no more than its float', () => {
  const { close, closeAtLast, outputs } = closed(10n * ADA, { free: [8n * ADA, 5n * ADA] });
  const floatReturned = { inputs: outputs, claimable: 10n * ADA + LEAST };
  expect([close(7n * ADA), closeAtLast(7n * ADA)]).toEqual([null, floatReturned]);
  // Also when the counted pot is empty.
  expect([close(0n), closeAtLast(0n)]).toEqual([null, floatReturned]);
  expect([close(11n * ADA), closeAtLast(11n * ADA)]).toEqual([null, { inputs: [], claimable: 0n }]);
});
