/** Vite plug-in that writes the pages of the guide and the API reference, with their scripts and styles. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';
import { GUIDE_SOURCES } from './contents.ts';
import { type GuideAssets, renderDocument, renderReference } from './document.ts';
import { renderPage } from './render-page.ts';

export const GUIDE_ENTRY = join(import.meta.dirname, 'main.ts');
export const REFERENCE_ENTRY = join(import.meta.dirname, '../reference/main.ts');
const DOCS = join(import.meta.dirname, '../../../../docs');

export function guidePages(): Plugin {
  return {
    name: 'guide-pages',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const assets = assetsOf(bundle, GUIDE_ENTRY);
      const pages = GUIDE_SOURCES.map((source) =>
        renderPage(source, readFileSync(join(DOCS, source.file), 'utf8')),
      );
      for (const page of pages) {
        const fileName = `${page.path.slice(1)}${page.path === '/docs' ? '/index' : ''}.html`;
        this.emitFile({ type: 'asset', fileName, source: renderDocument(page, pages, assets) });
      }
      const source = renderReference(assetsOf(bundle, REFERENCE_ENTRY));
      this.emitFile({ type: 'asset', fileName: 'docs/reference.html', source });
    },
  };
}

function assetsOf(bundle: Rolldown.OutputBundle, entryModule: string): GuideAssets {
  const files = Object.values(bundle);
  const chunks = files.filter((file) => file.type === 'chunk');
  const entry = chunks.find(({ facadeModuleId }) => facadeModuleId === entryModule);
  const icon = files.find((file) => file.type === 'asset' && file.names.includes('icon.svg'));
  if (entry === undefined || icon === undefined)
    throw new Error(`the build has no script or no icon for ${entryModule}`);
  const styles = [entry.fileName, ...entry.imports].flatMap((name) => {
    const chunk = bundle[name];
    return chunk?.type === 'chunk' ? [...(chunk.viteMetadata?.importedCss ?? [])] : [];
  });
  const address = (fileName: string) => `/${fileName}`;
  return {
    scripts: [entry.fileName, ...entry.imports].map(address),
    styles: [...new Set(styles)].map(address),
    icon: address(icon.fileName),
  };
}
