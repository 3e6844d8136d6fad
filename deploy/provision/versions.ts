/** Everything that is not taken from Debian is pinned here; bump a number and the next start builds that version. */
export const versions = {
  /** The newest release that is complete on Maven Central: kafka_2.13 4.4.0 requires a kafka-tools-api 4.4.0 that is missing. */
  kafka: '4.3.1',
  kafkaScala: '2.13',
  /** The version line of SLF4J with which Kafka is compiled; Kafka's own jars include no binding. */
  slf4jSimple: '1.7.36',
  mavenDependencyPlugin: '3.8.1',
  /** Kafka 4 brokers need Java 17 (KIP-1013). */
  minimumJavaMajor: 17,
  /** Used where neither PATH nor Debian has one that is new enough. */
  go: '1.26.8',
  goZipSha256: {
    amd64: '30c2b1bf7dcc88d3eb0a1364e47ddd9128edb3110a30e8a0ef61cd5856b31de7',
    arm64: '02b36b6787b3ac767668f630e2998df45a3b1f9ffee08d1bf3ef6487cd658d99',
  },
  versitygw: '1.8.0',
  /** The `go` directive in its go.mod, as below. */
  versitygwMinimumGo: '1.25.0',
  /** Describes Stripe's API of 2026-08-26; no release describes a newer one. */
  stripeMock: '0.203.0',
  stripeMockMinimumGo: '1.22.1',
  toxiproxy: '2.12.0',
  toxiproxyMinimumGo: '1.23.0',
  /** Prometheus 3.14, whose Go module has this number. */
  promtool: '0.314.0',
  promtoolMinimumGo: '1.25.8',
  promtoolReplacement: 'cloud.google.com/go=cloud.google.com/go@v0.123.0',
  k6: '1.8.1',
  k6MinimumGo: '1.25.0',
  kubernetes: '1.36.3',
  gatewayApi: '1.6.1',
  keda: '2.21.0',
} as const;
