/** For suites, which may not import a package of a service. */
export { type S3Server, startS3Server } from '@audiosplit/splitter/bucket/s3-server.fixture';
