import kafkajs from 'kafkajs';

/**
 * The client library's error for brokers that return no coordinator of a group, as the library creates it:
 * with a message, which its constructor requires although its types do not declare one.
 */
export function noCoordinator(): kafkajs.KafkaJSError {
  return Reflect.construct(kafkajs.KafkaJSGroupCoordinatorNotFound, ['Failed to find group coordinator']);
}
