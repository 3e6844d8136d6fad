# Made from the description of the API by `npm run generate -- python`. Changes are lost.

from .._errors import AudiosplitError


class InvalidParams(AudiosplitError, code="INVALID_PARAMS"):
    pass


class Unauthorized(AudiosplitError, code="UNAUTHORIZED"):
    pass


class QuotaExceeded(AudiosplitError, code="QUOTA_EXCEEDED"):
    pass


class PaymentMethodRequired(AudiosplitError, code="PAYMENT_METHOD_REQUIRED"):
    pass


class PaymentFailed(AudiosplitError, code="PAYMENT_FAILED"):
    pass


class InvoiceUnpaid(AudiosplitError, code="INVOICE_UNPAID"):
    pass


class SpendLimitReached(AudiosplitError, code="SPEND_LIMIT_REACHED"):
    pass


class InvoiceAlreadyPaid(AudiosplitError, code="INVOICE_ALREADY_PAID"):
    pass


class InvoiceNotPayable(AudiosplitError, code="INVOICE_NOT_PAYABLE"):
    pass


class InsufficientScope(AudiosplitError, code="INSUFFICIENT_SCOPE"):
    pass


class SignInLinkSent(AudiosplitError, code="SIGN_IN_LINK_SENT"):
    pass


class AccountPendingDeletion(AudiosplitError, code="ACCOUNT_PENDING_DELETION"):
    pass


class AccountSuspended(AudiosplitError, code="ACCOUNT_SUSPENDED"):
    pass


class EmailNotVerified(AudiosplitError, code="EMAIL_NOT_VERIFIED"):
    pass


class SecondFactorRequired(AudiosplitError, code="SECOND_FACTOR_REQUIRED"):
    pass


class InvalidSignature(AudiosplitError, code="INVALID_SIGNATURE"):
    pass


class DownloadExpired(AudiosplitError, code="DOWNLOAD_EXPIRED"):
    pass


class UploadExpired(AudiosplitError, code="UPLOAD_EXPIRED"):
    pass


class UploadNotFound(AudiosplitError, code="UPLOAD_NOT_FOUND"):
    pass


class NotFound(AudiosplitError, code="NOT_FOUND"):
    pass


class JobNotFound(AudiosplitError, code="JOB_NOT_FOUND"):
    pass


class MethodNotAllowed(AudiosplitError, code="METHOD_NOT_ALLOWED"):
    pass


class RequestTimeout(AudiosplitError, code="REQUEST_TIMEOUT"):
    pass


class UploadTimeout(AudiosplitError, code="UPLOAD_TIMEOUT"):
    pass


class UploadOffsetConflict(AudiosplitError, code="UPLOAD_OFFSET_CONFLICT"):
    pass


class TusVersionUnsupported(AudiosplitError, code="TUS_VERSION_UNSUPPORTED"):
    pass


class JobAlreadyProcessing(AudiosplitError, code="JOB_ALREADY_PROCESSING"):
    pass


class JobAlreadyFinished(AudiosplitError, code="JOB_ALREADY_FINISHED"):
    pass


class JobNotCompleted(AudiosplitError, code="JOB_NOT_COMPLETED"):
    pass


class EmailTaken(AudiosplitError, code="EMAIL_TAKEN"):
    pass


class SecondFactorOn(AudiosplitError, code="SECOND_FACTOR_ON"):
    pass


class KeyLimitReached(AudiosplitError, code="KEY_LIMIT_REACHED"):
    pass


class ConnectionLimitReached(AudiosplitError, code="CONNECTION_LIMIT_REACHED"):
    pass


class ConnectionNameTaken(AudiosplitError, code="CONNECTION_NAME_TAKEN"):
    pass


class ConnectionInUse(AudiosplitError, code="CONNECTION_IN_USE"):
    pass


class ConnectionSecretLost(AudiosplitError, code="CONNECTION_SECRET_LOST"):
    pass


class PresetLimitReached(AudiosplitError, code="PRESET_LIMIT_REACHED"):
    pass


class ActiveSubscription(AudiosplitError, code="ACTIVE_SUBSCRIPTION"):
    pass


class AlreadySubscribed(AudiosplitError, code="ALREADY_SUBSCRIBED"):
    pass


class NoActiveSubscription(AudiosplitError, code="NO_ACTIVE_SUBSCRIPTION"):
    pass


class PlanUnchanged(AudiosplitError, code="PLAN_UNCHANGED"):
    pass


class PriceChanged(AudiosplitError, code="PRICE_CHANGED"):
    pass


class IdempotencyInProgress(AudiosplitError, code="IDEMPOTENCY_IN_PROGRESS"):
    pass


class ArchiveTooLarge(AudiosplitError, code="ARCHIVE_TOO_LARGE"):
    pass


class SegmentsExpired(AudiosplitError, code="SEGMENTS_EXPIRED"):
    pass


class FileTooLarge(AudiosplitError, code="FILE_TOO_LARGE"):
    pass


class PayloadTooLarge(AudiosplitError, code="PAYLOAD_TOO_LARGE"):
    pass


class UnsupportedMediaType(AudiosplitError, code="UNSUPPORTED_MEDIA_TYPE"):
    pass


class RangeNotSatisfiable(AudiosplitError, code="RANGE_NOT_SATISFIABLE"):
    pass


class IdempotencyKeyReused(AudiosplitError, code="IDEMPOTENCY_KEY_REUSED"):
    pass


class RateLimited(AudiosplitError, code="RATE_LIMITED"):
    pass


class QueueFull(AudiosplitError, code="QUEUE_FULL"):
    pass


class UploadLimitReached(AudiosplitError, code="UPLOAD_LIMIT_REACHED"):
    pass


class TooManyStreams(AudiosplitError, code="TOO_MANY_STREAMS"):
    pass


class ExportTooFrequent(AudiosplitError, code="EXPORT_TOO_FREQUENT"):
    pass


class InternalError(AudiosplitError, code="INTERNAL_ERROR"):
    pass


class NotImplemented(AudiosplitError, code="NOT_IMPLEMENTED"):
    pass


class ServiceUnavailable(AudiosplitError, code="SERVICE_UNAVAILABLE"):
    pass
