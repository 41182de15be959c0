import { join } from 'node:path';

/** One command of a generator, run in the folder of the generator. */
export interface Step {
  readonly does: 'generate' | 'build' | 'call';
  readonly command: readonly [program: string, ...args: string[]];
}

/** A client generator at a fixed version: what it gets, and how its client is made, built and used. */
export interface Generator {
  readonly name: string;
  readonly version: string;
  /** Files that it finds in its folder next to `openapi.json`, by their path; `program:` names a file of `programs/`. */
  readonly files: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

const openapiGenerator = '7.25.0';
const dependencyPlugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';
const root = join(import.meta.dirname, '../../..');

const go = (...requires: readonly string[]): string =>
  ['module example.org/use', '', 'go 1.26', '', ...requires.map((one) => `require ${one}`), ''].join('\n');

const goBuild: Step = { does: 'build', command: ['go', 'build', '-mod=mod', '-o', 'use', '.'] };
const goCall: Step = { does: 'call', command: ['./use'] };

const jar = (generator: string, ...more: readonly string[]): readonly Step[] => [
  {
    does: 'generate',
    command: [
      ...(['mvn', '-q', '-B', `${dependencyPlugin}:copy`, '-DoutputDirectory=.'] as const),
      `-Dartifact=org.openapitools:openapi-generator-cli:${openapiGenerator}`,
    ],
  },
  {
    does: 'generate',
    command: [
      ...(['java', '-jar', `openapi-generator-cli-${openapiGenerator}.jar`, 'generate'] as const),
      ...['-i', 'openapi.json', '-g', generator],
      ...[
        '--global-property',
        'apiDocs=false,modelDocs=false,apiTests=false,modelTests=false,skipFormModel=false',
        ...more,
      ],
    ],
  },
];

const clientOnly = 'generator:\n  features:\n    disable_all: true\n    enable: ["paths/client"]\n';

/** All generators that must make a client that works, but those that `npm test` covers. */
export const generators: readonly Generator[] = [
  {
    name: 'ogen',
    version: '1.24.0',
    files: { 'go.mod': go('github.com/ogen-go/ogen v1.24.0'), 'main.go': 'program:ogen.go', 'ogen.yml': clientOnly },
    steps: [
      {
        does: 'generate',
        command: [
          ...(['go', 'run', 'github.com/ogen-go/ogen/cmd/ogen@v1.24.0', '--config', 'ogen.yml'] as const),
          ...['--target', 'client', '--package', 'client', 'openapi.json'],
        ],
      },
      goBuild,
      goCall,
    ],
  },
  {
    name: 'oapi-codegen',
    version: '2.8.2',
    files: { 'go.mod': go('github.com/oapi-codegen/runtime v1.9.0'), 'main.go': 'program:oapi-codegen.go' },
    steps: [
      {
        does: 'generate',
        command: [
          ...(['go', 'run', 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'] as const),
          ...['-generate', 'types,client', '-package', 'client', '-o', 'client/client.go', 'openapi.json'],
        ],
      },
      goBuild,
      goCall,
    ],
  },
  {
    name: 'openapi-generator go',
    version: openapiGenerator,
    files: { 'go.mod': go('gopkg.in/validator.v2 v2.0.1'), 'main.go': 'program:openapi-generator.go' },
    steps: [
      ...jar('go', '-o', 'client', '--additional-properties', 'packageName=client,withGoMod=false'),
      goBuild,
      goCall,
    ],
  },
  {
    name: 'openapi-generator typescript-fetch',
    version: openapiGenerator,
    files: { 'package.json': '{"type": "module"}', 'use.ts': 'program:typescript-fetch.txt' },
    steps: [
      ...jar('typescript-fetch', '-o', 'client', '--additional-properties', 'importFileExtension=.js'),
      {
        does: 'build',
        command: [
          ...([process.execPath, join(root, 'node_modules/@typescript/native/bin/tsc')] as const),
          ...['--strict', '--target', 'esnext', '--module', 'nodenext', '--outDir', 'out', 'use.ts'],
          ...['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')],
        ],
      },
      { does: 'call', command: [process.execPath, 'out/use.js'] },
    ],
  },
  {
    name: 'openapi-generator java',
    version: openapiGenerator,
    files: { 'src/main/java/Use.java': 'program:Use.java' },
    steps: [
      ...jar('java', '-o', '.'),
      {
        does: 'build',
        command: ['mvn', '-q', '-B', 'compile', `${dependencyPlugin}:copy-dependencies`, '-DoutputDirectory=libraries'],
      },
      { does: 'call', command: ['java', '-cp', 'target/classes:libraries/*', 'Use'] },
    ],
  },
];
