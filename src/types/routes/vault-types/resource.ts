import { z } from 'zod';
import { excludesReaders, readerRules, valuationTypes, whitelistRules } from '../../rules/vault-type.ts';
import type { RegisteredType } from '../../queries/registered-types.ts';
import { CaseInsensitive, TypeName } from '../../../platform/http/fields.ts';
import { presentTypeFields, TypeDescription, TypeFields } from '../asset-types/type-fields.ts';
import { presentVaultTypeRules, VaultTypeRuleFields, vaultTypeTexts } from './rules.ts';

const WhitelistRuleText = CaseInsensitive(whitelistRules);

/** Body of PUT /vault-types/{name}. */
export const RegisterVaultType = z
  .strictObject({
    description: TypeDescription,
    readers: CaseInsensitive(readerRules).default('anyone'),
    contributors: WhitelistRuleText.describe(vaultTypeTexts.contributors),
    investors: WhitelistRuleText.describe(vaultTypeTexts.investors),
    valuationTypes: z
      .array(CaseInsensitive(valuationTypes))
      .min(1)
      .max(valuationTypes.length)
      .default([...valuationTypes]),
    assetTypes: z.array(TypeName).max(10).describe(vaultTypeTexts.assetTypes).default([]),
  })
  .refine((rules) => !excludesReaders(rules), {
    path: ['readers'],
    error: 'A wallet that may contribute or invest must be able to read: with `participants`, both are `listed`',
  })
  .meta({ id: 'RegisterVaultType' });

export const VaultTypeResource = TypeFields.extend(VaultTypeRuleFields.shape).meta({
  id: 'RegisteredVaultType',
  examples: [
    {
      name: 'CLUB',
      description: 'Members contribute, anyone invests',
      builtIn: false,
      readers: 'anyone',
      contributors: 'listed',
      investors: 'anyone',
      valuationTypes: ['FIXED'],
      assetTypes: ['REAL_ESTATE'],
      createdAt: '2026-11-22T13:10:05.144Z',
      updatedAt: '2026-11-22T13:10:05.144Z',
      retiredAt: null,
    },
  ],
});

export function presentVaultType(type: RegisteredType<'vault'>): z.input<typeof VaultTypeResource> {
  return { ...presentTypeFields(type), ...presentVaultTypeRules(type.rules) };
}
