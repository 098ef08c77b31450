import { expect, test } from '@jest/globals';
import { permissionsOf, requireMayActFor, requireMayName, anonymous, type Caller } from './rules.ts';

const caller = (roles: string[], wallet: string | null = null): Caller => ({
  apiKeyId: 'k',
  roles,
  permissions: permissionsOf(roles),
  wallet,
  sessionId: wallet && 's',
});

test('only its own session or a trusted backend may act for a wallet', () => {
  expect(requireMayActFor(caller(['VOTER'], 'addr1'), 'addr1')).toBeUndefined();
  expect(requireMayActFor(caller(['ADMIN']), 'addr1')).toBe('addr1');
  expect(requireMayActFor(caller(['ADMIN'], 'addr1'), 'addr2')).toBe('addr2');
  const trusted = { ...caller([]), permissions: [{ resource: 'wallet', action: 'UPDATE' as const }] };
  expect(requireMayActFor(trusted, 'addr1')).toBe('addr1');
  for (const stranger of [anonymous, caller(['VOTER', 'VAULT_CREATOR']), caller(['VOTER'], 'addr2')]) {
    expect(() => requireMayActFor(stranger, 'addr1')).toThrow('Insufficient permissions');
  }
});

test('a session names only its own wallet, whatever its permissions', () => {
  const session = caller(['ADMIN'], 'addr1');
  expect(requireMayName(session, 'addr1')).toBeUndefined();
  expect(() => requireMayName(session, 'addr2')).toThrow('Insufficient permissions');
  expect(requireMayName(caller(['ADMIN']), 'addr2')).toBe('addr2');
});
