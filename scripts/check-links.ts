/** Prints every broken relative link of a Markdown file, and fails if there is one. */
import { existsSync, readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Targets of the relative links in `markdown`; code is skipped. */
export function relativeLinks(markdown: string): string[] {
  const text = withoutFences(markdown).replaceAll(/`[^`\n]*`/g, '');
  const inline = text.matchAll(/\]\(\s*<?([^\s)>]+)>?(?:\s+"[^"]*")?\s*\)/g);
  const definitions = text.matchAll(/^\s{0,3}\[[^\]]+\]:\s*<?([^\s>]+)/gm);
  return [...inline, ...definitions]
    .map(([, target = '']) => target)
    .filter((target) => !/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(target));
}

/** The anchors of a Markdown file: its headings as GitHub writes them, and explicit ids. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutFences(markdown).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const slug = slugOf(heading);
    let anchor = slug;
    for (let number = 1; anchors.has(anchor); number += 1) anchor = `${slug}-${number}`;
    anchors.add(anchor);
  }
  for (const [, id = ''] of markdown.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}

function slugOf(heading: string): string {
  const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  return text.replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-');
}

function withoutFences(markdown: string): string {
  return markdown.replaceAll(/^\s*(```|~~~)[^]*?^\s*\1/gm, '');
}

function problemsOf(file: string): string[] {
  return relativeLinks(readFileSync(file, 'utf8')).flatMap((link) => {
    const [path = '', anchor] = decodeURIComponent(link).split('#');
    const target = path === '' ? file : join(path.startsWith('/') ? '.' : dirname(file), path);
    if (!existsSync(target)) return [`${file}: ${link} does not exist`];
    if (anchor === undefined || !target.endsWith('.md')) return [];
    return anchorsOf(readFileSync(target, 'utf8')).has(anchor) ? [] : [`${file}: ${link} names no heading`];
  });
}

if (import.meta.main) {
  let count = 0;
  for await (const file of glob('**/*.md', { exclude: ['node_modules', '.data*', '.cache', 'coverage'] })) {
    for (const problem of problemsOf(file)) {
      process.stdout.write(`${problem}\n`);
      count += 1;
    }
  }
  process.exitCode = count === 0 ? 0 : 1;
}
