/** Values of the chart, as an operator gives them. */
export interface Values {
  readonly [name: string]: unknown;
  readonly image?: object;
  readonly settings?: object;
}

const repository = 'images.example.com/orb';
const ingress = { enabled: true, host: 'orb.example.com' };
const mail = {
  adapter: 'email/smtp',
  config: {
    host: 'smtp.example.com',
    port: 587,
    auth: { user: 'orb@example.com', password: { $env: 'SMTP_PASSWORD' } },
  },
};

const features: Readonly<Record<string, Values>> = {
  'nothing else': {},
  'a tag': { image: { tag: '9.9.9-mine', digest: '' } },
  'a digest': { image: { digest: `sha256:${'ab'.repeat(32)}` } },
  'secrets of a registry': { image: { pullSecrets: ['registry', 'other-registry'] } },
  'a class of volumes': { state: { size: '500Gi', storageClass: 'fast' } },
  'a mail server with its password in a Secret': { secrets: ['orb-mail'], settings: { providers: { mail } } },
  'an ingress': { ingress: { ...ingress, tlsSecret: 'orb-tls' }, settings: { trust_proxy: ['10.1.0.0/16'] } },
  'an ingress that speaks TLS to the pods': {
    ingress: {
      ...ingress,
      className: 'nginx',
      annotations: { 'nginx.ingress.kubernetes.io/backend-protocol': 'HTTPS' },
    },
    tls: { secret: 'orb-pods' },
  },
  'TLS in the pods': { tls: { secret: 'orb-pods' } },
  'a monitor by TLS': {
    tls: { secret: 'orb-pods' },
    serviceMonitor: { enabled: true, keySecret: { name: 'orb-metrics' }, labels: { release: 'prometheus' } },
  },
  'a monitor by plain HTTP': {
    settings: { insecure_http: true },
    serviceMonitor: { enabled: true, interval: '1m', keySecret: { name: 'orb-metrics', key: 'token' } },
  },
  'a network policy': { networkPolicy: { enabled: true } },
  'a network policy with peers': {
    networkPolicy: {
      enabled: true,
      from: [
        { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } },
        { ipBlock: { cidr: '10.0.0.0/8' } },
      ],
    },
  },
  'limits of resources': {
    resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '2Gi' } },
  },
  'a long stop': { settings: { drain_ms: 600_000, drain_notice_ms: 10_000, log_level: 'warn' } },
  'no budget of disruptions': { podDisruptionBudget: { enabled: false } },
};

/** The stores of a chart, and how many servers each has. */
const stores: Readonly<Record<string, Values>> = {
  sqlite: {},
  postgres: { replicas: 3, store: { type: 'postgres', secret: 'orb-store' } },
};

/** Sets of values that the chart takes, by name. */
export const valueSets: Readonly<Record<string, Values>> = Object.fromEntries(
  Object.entries(stores).flatMap(([store, base]) =>
    Object.entries(features).map(([feature, values]) => [
      `${store} with ${feature}`,
      { ...base, ...values, image: { repository, ...values.image } },
    ]),
  ),
);

const monitor = { enabled: true, keySecret: { name: 'orb-metrics' } };

type Refused = readonly [name: string, values: Values, sentence: string];

const refused: readonly Refused[] = [
  [
    'two servers on one file',
    { replicas: 2 },
    'store.type=postgres, which more than one replica needs: a file serves one server',
  ],
  [
    'no registry',
    { image: { repository: '' } },
    'image.repository: push the image of the release to a registry of yours, and name it',
  ],
  [
    'an ingress that the servers do not trust',
    { ingress },
    'settings.trust_proxy, which names the pods of the ingress controller: keys are refused without',
  ],
  [
    'a monitor by plain HTTP',
    { serviceMonitor: monitor },
    'tls.secret or settings.insecure_http: Prometheus asks the pods, which refuse keys over plain HTTP',
  ],
  ['a database without its address', { store: { type: 'postgres' } }, "at '/store/secret'"],
  ['an ingress without a host', { ingress: { enabled: true }, tls: { secret: 'orb-pods' } }, "at '/ingress/host'"],
  [
    'a monitor without a key',
    { serviceMonitor: { enabled: true }, tls: { secret: 'orb-pods' } },
    "at '/serviceMonitor/keySecret/name'",
  ],
  [
    'the address of the database in the settings',
    { settings: { store: { url: 'postgres://orb@db/orb' } } },
    "at '/settings/store'",
  ],
  ['a listener', { settings: { listen: [{ address: '0.0.0.0:80' }] } }, "at '/settings/listen'"],
  ['a value that there is not', { replica: 2 }, "'replica'"],
  ['a value that there is not in a part', { store: { kind: 'postgres' } }, "'kind'"],
  ['another store', { store: { type: 'mysql' } }, "at '/store/type'"],
  ['a number as text', { replicas: '2' }, "at '/replicas'"],
  ['a digest that is none', { image: { repository, digest: 'latest' } }, "at '/image/digest'"],
  ['peers of nobody', { networkPolicy: { enabled: true, from: [] } }, "at '/networkPolicy/from'"],
];

/** Sets of values that the chart refuses, each with what it says. */
export const refusedSets: readonly Refused[] = refused.map(
  ([name, values, sentence]) => [name, { ...values, image: { repository, ...values.image } }, sentence] as const,
);
