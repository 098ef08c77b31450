import { z } from 'zod';
import { readerRules, type VaultTypeRules, whitelistRules } from '../../rules/vault-type.ts';
import { enumSchema } from '../../../platform/http/enums.ts';
import { ValuationTypeEnum } from '../../../vaults/routes/enums.ts';

const WhitelistRuleEnum = enumSchema('WhitelistRule', whitelistRules, {
  anyone: 'any wallet',
  listed_unless_empty: 'the wallets on the whitelist; any wallet while it is empty',
  listed: 'the admin and the wallets on the whitelist',
});

const ReaderRuleEnum = enumSchema('ReaderRule', readerRules, {
  anyone: 'every caller may read the vault',
  participants:
    'the admin, wallets on a whitelist, and wallets with a deposit or a stake; for others it does not exist',
});

export const vaultTypeTexts = {
  contributors: 'Which wallets may contribute, by `contributorWhitelist`',
  investors: 'Which wallets may invest, by `investorWhitelist`',
  assetTypes: 'Names of the asset types that such a vault may accept; any if empty',
};

/** What a vault type decides, in responses. */
export const VaultTypeRuleFields = z.object({
  readers: ReaderRuleEnum,
  contributors: WhitelistRuleEnum.describe(vaultTypeTexts.contributors),
  investors: WhitelistRuleEnum.describe(vaultTypeTexts.investors),
  valuationTypes: z.array(ValuationTypeEnum).describe('The valuation types that such a vault may have'),
  assetTypes: z.array(z.string()).describe(vaultTypeTexts.assetTypes),
});

export function presentVaultTypeRules(rules: VaultTypeRules): z.input<typeof VaultTypeRuleFields> {
  const { readers, contributors, investors, valuationTypes, assetTypes } = rules;
  return { readers, contributors, investors, valuationTypes: [...valuationTypes], assetTypes: [...assetTypes] };
}
