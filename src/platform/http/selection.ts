import { z } from 'zod';
import { oneOf } from './request-messages.ts';

/** A query parameter with some of these names, repeated or separated by commas. */
export function NameList<const Name extends string>(names: readonly [Name, ...Name[]]) {
  const known: ReadonlySet<string> = new Set(names);
  const isKnown = (text: string): text is Name => known.has(text);
  const schema = z
    .union([z.string().max(2000), z.array(z.string().max(2000)).max(100)])
    .transform((value, context): Name[] => {
      const texts = [value].flat().flatMap((text) => text.split(','));
      const unknown = texts.find((text) => !isKnown(text));
      if (unknown !== undefined) {
        const message = `\`${unknown.slice(0, 100)}\` is not known. ${oneOf(names)}`;
        context.addIssue({ code: 'custom', message, params: { code: 'VALUE_NOT_ALLOWED' } });
      }
      const given = new Set(texts);
      // In one order, so that the same names are the same request.
      return names.filter((name) => given.has(name));
    });
  return schema.meta({
    override({ jsonSchema }) {
      delete jsonSchema.anyOf;
      Object.assign(jsonSchema, { type: 'array', items: { type: 'string', enum: [...names] } });
    },
  });
}

/** The fields with these names; all fields without names. */
export function selectFields<Resource extends object, Field extends keyof Resource & string>(
  resource: Resource,
  names: readonly Field[] | undefined,
): Resource | Pick<Resource, Field> {
  if (!names) return resource;
  return Object.fromEntries(names.filter((name) => name in resource).map((name) => [name, resource[name]])) as Pick<
    Resource,
    Field
  >;
}
