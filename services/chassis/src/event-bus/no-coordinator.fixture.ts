import kafkajs from 'kafkajs';

/**
 * The client library's error of brokers that name no coordinator for a group, as the library makes
 * it: with a message, which its constructor needs though its types know of none.
 */
export function noCoordinator(): kafkajs.KafkaJSError {
  return Reflect.construct(kafkajs.KafkaJSGroupCoordinatorNotFound, ['Failed to find group coordinator']);
}
