import { expect, test } from '@jest/globals';
import { basisPoints } from '../platform/units/money.ts';
import { instant } from '../platform/units/time.ts';
import {
  cosignersAloneAfterRotation,
  NOTICE_SECONDS,
  type RotatableVault,
  rotationRefusal,
  rotationStart,
  rotationStatus,
} from './rules.ts';

const cosigners = { required: 1, keyHashes: ['11'.repeat(28)], alone: { from: instant(0), fromSlot: 900_000_000 } };
const vault: RotatableVault = { status: 'LOCKED', failedBecause: null, claimsOpen: false, cosigners, rotationId: null };
const now = instant(Date.UTC(2026, 10, 23));

test('a settled vault can be rotated while it does not end and no other rotation is under way', () => {
  expect(rotationRefusal(vault, true)).toBeUndefined();
  expect(rotationRefusal({ ...vault, status: 'ACTIVE' }, false)).toBe('VAULT_NOT_LOCKED');
  expect(rotationRefusal({ ...vault, failedBecause: 'programmed_end' }, false)).toBe('VAULT_ALREADY_ENDED');
  const claiming = { ...vault, failedBecause: 'liquidated', claimsOpen: true } as const;
  expect(rotationRefusal(claiming, false)).toBe('VAULT_ALREADY_ENDED');
  expect(rotationRefusal({ ...vault, rotationId: 'another' }, false)).toBe('ROTATION_UNDER_WAY');
});

test('an operator cannot give cosigners to a vault that has none', () => {
  expect(rotationRefusal({ ...vault, cosigners: null }, true)).toBe('VAULT_WITHOUT_COSIGNERS');
  expect(rotationRefusal({ ...vault, cosigners: null }, false)).toBeUndefined();
});

test('holders have three days of notice unless the key is compromised', () => {
  expect(rotationStart(now, { isUrgent: false }) - now).toBe(NOTICE_SECONDS * 1000);
  expect(rotationStart(now, { isUrgent: true })).toBe(now);
});

test('the date of the cosigners moves on with a rotation, except that of a programmed end', () => {
  const settlesBy = instant(Date.UTC(2025, 0, 1));
  const fdp = basisPoints(0n);
  const after = (termination: Parameters<typeof cosignersAloneAfterRotation>[1]['terms']['termination']) =>
    cosignersAloneAfterRotation(now, { settlesBy, terms: { termination } });
  const day = 86_400_000;
  expect(after({ type: 'DAO', fdp }) - now).toBe(6 * 365 * day);
  expect(after({ type: 'PROGRAMMED', fdp, duration: 86_400 }) - settlesBy).toBe(366 * day);
});

test('a rotation is announced, runs, and is finished or cancelled', () => {
  const facts = { begunAt: null, finishedAt: null, cancelledAt: null };
  expect(rotationStatus(facts)).toBe('announced');
  expect(rotationStatus({ ...facts, begunAt: now })).toBe('running');
  expect(rotationStatus({ ...facts, begunAt: now, finishedAt: now })).toBe('finished');
  expect(rotationStatus({ ...facts, cancelledAt: now })).toBe('cancelled');
});
