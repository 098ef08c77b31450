import { expect, test } from '@jest/globals';
import { permissionsOf } from './permission.ts';
import { actingFor, anonymous, type Caller } from './caller.ts';

const caller = (roles: string[], wallet: string | null = null): Caller => ({
  apiKeyId: 'k',
  roles,
  permissions: permissionsOf(roles),
  wallet,
  sessionId: wallet && 's',
});

test('a wallet is acted for by its own session or by a trusted backend, and by nobody else', () => {
  expect(actingFor(caller(['VOTER'], 'addr1'), 'addr1')).toBeUndefined();
  expect(actingFor(caller(['ADMIN']), 'addr1')).toBe('addr1');
  expect(actingFor(caller(['ADMIN'], 'addr1'), 'addr2')).toBe('addr2');
  const trusted = { ...caller([]), permissions: [{ resource: 'wallet', action: 'UPDATE' as const }] };
  expect(actingFor(trusted, 'addr1')).toBe('addr1');
  for (const stranger of [anonymous, caller(['VOTER', 'VAULT_CREATOR']), caller(['VOTER'], 'addr2')]) {
    expect(() => actingFor(stranger, 'addr1')).toThrow('Insufficient permissions');
  }
});
