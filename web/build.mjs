// Bundles the page into one HTML file and embeds that in a C++ source, or bundles its tests.
//   node build.mjs page DIRECTORY    -> DIRECTORY/page.html, DIRECTORY/page_bundle.cc
//   node build.mjs tests DIRECTORY   -> DIRECTORY/test/*.test.mjs
// npm must have installed the packages in DIRECTORY.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = dirname(fileURLToPath(import.meta.url));
const [product, target] = [process.argv[2], resolve(process.argv[3])];
const esbuild = createRequire(join(target, 'package.json'))('esbuild');
const nodePaths = [join(target, 'node_modules')];

function bundle(entry) {
  const result = esbuild.buildSync({
    entryPoints: [join(source, 'src', entry)],
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['es2020', 'chrome90', 'firefox90', 'safari15'],
    legalComments: 'none',
    write: false,
    nodePaths,
  });
  return result.outputFiles[0].text.trim();
}

// The policy allows only the script and the style with these hashes, whatever gets into the page.
function hash(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function page() {
  const script = bundle('main.ts');
  const style = bundle('style.css');
  const policy = [
    "default-src 'none'",
    "connect-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const parts = { POLICY: policy, STYLE: style, SCRIPT: script };
  return readFileSync(join(source, 'src', 'page.html'), 'utf8').replace(
    /@(POLICY|STYLE|SCRIPT)@/g,
    (_, name) => parts[name],
  );
}

function cplusplus(text) {
  const end = 'firm_page';
  if (text.includes(`)${end}"`)) throw new Error(`the page contains )${end}"`);
  // Compilers limit the length of a literal, but join adjacent ones.
  const pieces = text.match(/[^]{1,12000}/g).map((piece) => `R"${end}(${piece})${end}"`);
  return `// Generated from web/ by web/build.mjs.
#include "report/page/page_bundle.h"

namespace firm {

std::string_view page_bundle() {
  static constexpr char kPage[] =
${pieces.join('\n')};
  return {kPage, sizeof kPage - 1};
}

}  // namespace firm
`;
}

if (product === 'page') {
  const text = page();
  writeFileSync(join(target, 'page.html'), text);
  writeFileSync(join(target, 'page_bundle.cc'), cplusplus(text));
} else {
  const tests = readdirSync(join(source, 'test')).filter((name) => name.endsWith('.test.ts'));
  esbuild.buildSync({
    entryPoints: tests.map((name) => join(source, 'test', name)),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node18',
    external: ['playwright-core'],
    outdir: join(target, 'test'),
    outExtension: { '.js': '.mjs' },
    nodePaths,
  });
}
