/// Marks what devices show.
enum DeviceTokens {}

/// What a device shows to prove that it has logged in to an account before, as the device cookies that OWASP describes.
///
/// It opens nothing. Failures from elsewhere just do not delay whoever has it (requirement ID-3).
typealias DeviceToken = ClientSecret<DeviceTokens>
