import { z } from 'zod';
import { isoText } from '../../../platform/units/instant.ts';
import type { RegisteredType, TypeKind } from '../../queries/registered-types.ts';
import { CaseInsensitive, Timestamp, TypeName, visibleLines } from '../../../platform/http/fields.ts';
import { pageQuery } from '../../../platform/http/paging.ts';

export const TypeDescription = visibleLines(500).describe('What it is for, for readers').default('');

export const TypeParams = z.strictObject({
  name: TypeName.describe(
    'Name of the type. Not case-sensitive. Stored in upper case, with underscores for hyphens and blanks.',
  ),
});

export const typeQuery = z.strictObject({
  ...pageQuery(['name', 'createdAt']),
  retired: CaseInsensitive(['true', 'false']).optional(),
});

/** Which types are wanted; undefined for all. */
export function isRetired({ retired }: z.output<typeof typeQuery>): boolean | undefined {
  return retired === undefined ? undefined : retired === 'true';
}

/** What vault types and asset types have in common, in responses. */
export const TypeFields = z.object({
  name: z.string(),
  description: z.string(),
  builtIn: z.boolean().describe('Whether it is a type of the specification, which cannot be changed'),
  createdAt: Timestamp,
  updatedAt: Timestamp.describe('When its rules were last registered'),
  retiredAt: Timestamp.nullable().describe('Since when no new vault can use it; `null` while they can'),
});

export function presentTypeFields(type: RegisteredType<TypeKind>): z.input<typeof TypeFields> {
  const { name, description, isBuiltIn: builtIn, createdAt, updatedAt, retiredAt } = type;
  return {
    name,
    description,
    builtIn,
    createdAt: isoText(createdAt),
    updatedAt: isoText(updatedAt),
    retiredAt: retiredAt === null ? null : isoText(retiredAt),
  };
}
