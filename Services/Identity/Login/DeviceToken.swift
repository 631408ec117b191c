/// Marks what devices show.
enum DeviceTokens {}

/// The token by which a device proves that it has logged in to an account before, like the device cookies that OWASP describes.
///
/// It gives no access. It only exempts its device from delays by others' failures (requirement ID-3): attempts with it count for this
/// device at this account alone, and its success clears only its own failures. The client keeps it after logging out, and
/// after further logins have ended its session (``SessionRules``). It ends when its session ends in any other way, when the owner says
/// that its login was somebody else's, when the password is changed in another session or recovered, and
/// ``LoginHistoryStore/keptSeconds`` after its last use; an account has at most ``LoginHistoryStore/maxKnown``.
typealias DeviceToken = ClientSecret<DeviceTokens>
