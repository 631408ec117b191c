/// Marks what devices show.
enum DeviceTokens {}

/// What a device shows to prove that it has logged in to an account before, as the device cookies that OWASP describes.
///
/// It opens nothing. Failures from elsewhere just do not delay whoever has it (requirement ID-3): attempts with it count for this device at
/// this account alone, and its success clears its own failures only. The client keeps it through logging out. It ends when its session ends
/// in any other way, when the password is changed in another session or recovered, and ``LoginHistoryStore/keptSeconds`` after its last use; an
/// account has at most ``LoginHistoryStore/maxKnown``.
typealias DeviceToken = ClientSecret<DeviceTokens>
