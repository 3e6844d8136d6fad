import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir, ensureDirectory } from '../provision/cache.ts';
import { ensureDebianProgram } from '../provision/debian-program.ts';
import { findExecutable } from '../provision/executable.ts';
import { ProvisionError } from '../provision/provision-error.ts';
import { runTool } from '../provision/run-tool.ts';
import type { Task } from '../provision/task.ts';
import { versions } from '../provision/versions.ts';

/**
 * The broker from Maven Central, which equals the release archive without scripts and documentation.
 * `classPath` is for `java -cp`: every jar of the broker and of its tools.
 */
export async function ensureKafka(task: Task) {
  const java = await ensureJava(task);
  const jars = join(cacheDir(), `kafka-${versions.kafka}`);
  const fill = async (dir: string) => {
    const maven = await ensureDebianProgram({ title: 'Maven', names: ['mvn'], packageName: 'maven' }, task);
    await task.step(`downloading Kafka ${versions.kafka} from Maven Central`, () =>
      copyJars(maven, dir, task),
    );
  };
  await ensureDirectory(jars, fill, task.signal);
  return { java, classPath: join(jars, '*') };
}

/** `openjdk version "17.0.15" 2025-04-15` gives 17; null if it is not a Java version. */
export function javaMajor(versionOutput: string): number | null {
  const major = /version "(\d+)/.exec(versionOutput)?.[1];
  return major === undefined ? null : Number(major);
}

export function renderPom(): string {
  const dependency = (groupId: string, artifactId: string, version: string) =>
    `    <dependency><groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId><version>${version}</version></dependency>`;
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>audiosplit</groupId>
  <artifactId>kafka-distribution</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
${dependency('org.apache.kafka', `kafka_${versions.kafkaScala}`, versions.kafka)}
${dependency('org.slf4j', 'slf4j-simple', versions.slf4jSimple)}
  </dependencies>
</project>
`;
}

async function ensureJava(task: Task): Promise<string> {
  const home = process.env.JAVA_HOME;
  const program = { title: 'Java', names: ['java'], packageName: 'default-jre-headless' };
  const ofHome = home ? findExecutable('java', [join(home, 'bin')]) : undefined;
  const java = ofHome ?? (await ensureDebianProgram(program, task));
  const output = await runTool(java, ['-version'], { signal: task.signal });
  const major = javaMajor(output);
  if (major === null || major < versions.minimumJavaMajor) {
    throw new ProvisionError(
      `Kafka ${versions.kafka} needs Java ${versions.minimumJavaMajor} or newer, ${java} is ${major ?? 'of an unknown version'}: point JAVA_HOME to a newer one`,
    );
  }
  return java;
}

async function copyJars(maven: string, dir: string, task: Task): Promise<void> {
  const pom = join(dir, 'pom.xml');
  await writeFile(pom, renderPom());
  const plugin = `org.apache.maven.plugins:maven-dependency-plugin:${versions.mavenDependencyPlugin}`;
  const options = ['--batch-mode', '--no-transfer-progress', `--file=${pom}`, '-DincludeScope=runtime'];
  const args = [`${plugin}:copy-dependencies`, ...options, `-DoutputDirectory=${dir}`];
  await runTool(maven, args, { signal: task.signal });
}
