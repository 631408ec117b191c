extension Settings {
  /// The keys that any of the six services reads; `*` stands for one part of any name. Each service reads its own keys from one shared
  /// file, so a key that none of them reads is a typing error.
  public static let knownKeys: Set<String> = [
    "racha.attachments.bytesPerAccount", "racha.attachments.bytesPerFile", "racha.attachments.bytesPerTask",
    "racha.bus.curve.allowListFile", "racha.bus.curve.secretKeyFile", "racha.bus.endpoints.*", "racha.bus.interface",
    "racha.challenges.builtIn",
    "racha.coins.dailyCap", "racha.coins.earningDays", "racha.coins.expireAfterDays", "racha.coins.expiryNoticeDays",
    "racha.coins.stepsPerCoin", "racha.config",
    "racha.email.reportRetentionSeconds", "racha.erasure.cleanSeconds", "racha.erasure.rowsPerTransaction",
    "racha.externalProviders.*.claims.email", "racha.externalProviders.*.claims.emailVerified",
    "racha.externalProviders.*.claims.name", "racha.externalProviders.*.claims.username", "racha.externalProviders.*.clientId",
    "racha.externalProviders.*.clientSecret", "racha.externalProviders.*.formPost", "racha.externalProviders.*.issuer",
    "racha.externalProviders.*.keyFile", "racha.externalProviders.*.keyId", "racha.externalProviders.*.scopes",
    "racha.externalProviders.*.teamId", "racha.externalProviders.*.title", "racha.externalProviders.*.tokenEndpoint",
    "racha.externalProviders.names", "racha.externalProviders.redirectUris", "racha.fairness.stepsPerDay",
    "racha.fairness.stepsPerMinute", "racha.gateway.threads", "racha.goals.nearPercent",
    "racha.health.networks", "racha.home", "racha.http.allowedOrigins",
    "racha.http.forwardedHeader", "racha.http.host",
    "racha.http.port", "racha.http.trustedProxies", "racha.imports.spoolBytes",
    "racha.imports.spoolBytesPerAccount",
    "racha.limits.activityReason", "racha.limits.activityTitle", "racha.limits.answerSeconds",
    "racha.limits.batch",
    "racha.limits.bodyBytes", "racha.limits.bytesInFlight", "racha.limits.bytesInFlightPerAddress",
    "racha.limits.callsPerConnection", "racha.limits.connections", "racha.limits.connectionsPerAddress",
    "racha.limits.entryComment", "racha.limits.headerBytes", "racha.limits.headerSeconds",
    "racha.limits.idleSeconds", "racha.limits.photoBytes", "racha.limits.rate.*.account", "racha.limits.rate.*.address",
    "racha.limits.rate.remembered",
    "racha.limits.rateFactor", "racha.limits.remindersPerAccount", "racha.limits.requestSeconds", "racha.limits.stopSeconds",
    "racha.limits.uploadSeconds", "racha.limits.uploads",
    "racha.limits.uploadsPerAddress", "racha.limits.writeBytes",
    "racha.limits.writeSeconds", "racha.live.heartbeatSeconds", "racha.live.page", "racha.live.queue", "racha.log.level",
    "racha.mailbox", "racha.messages.bytesPerAccount", "racha.metrics",
    "racha.metricsToken", "racha.metricsTokenFile",
    "racha.notifications.logRetentionDays", "racha.notifications.readRetentionDays",
    "racha.offers.expiryNoticeDays",
    "racha.places.database", "racha.publicUrl", "racha.push.allowedOrigins", "racha.push.connections", "racha.push.contact",
    "racha.register.witnesses", "racha.reminders.lateMinutes",
    "racha.secrets.spareFolder", "racha.security.reports", "racha.smtp.caFile", "racha.smtp.from", "racha.smtp.connections",
    "racha.smtp.password", "racha.smtp.timeoutSeconds", "racha.smtp.tls", "racha.smtp.url", "racha.smtp.username",
    "racha.social.requestDays", "racha.tasks.bytesPerAccount",
    "racha.tcp.host", "racha.tcp.port", "racha.tcp.trustedProxies", "racha.tls.certificateFile", "racha.tls.keyFile",
    "racha.tokens.keySeconds", "racha.tokens.remembered", "racha.tokens.revocations",
  ]

  /// The new names of renamed settings. A setting given under its former name is refused, since it would have no effect.
  static let renamedKeys = [
    "racha.attachments.accountBytes": "racha.attachments.bytesPerAccount",
    "racha.attachments.fileBytes": "racha.attachments.bytesPerFile",
    "racha.attachments.taskBytes": "racha.attachments.bytesPerTask",
    "racha.http.proxyField": "racha.http.forwardedHeader",
    "racha.limits.accountReminders": "racha.limits.remindersPerAccount",
    "racha.mails.reportKeptSeconds": "racha.email.reportRetentionSeconds",
    "racha.notifications.logKeptDays": "racha.notifications.logRetentionDays",
    "racha.notifications.readKeptDays": "racha.notifications.readRetentionDays",
    "racha.offers.endingNoticeDays": "racha.offers.expiryNoticeDays",
    "racha.smtp.authorities": "racha.smtp.caFile",
    "racha.smtp.lanes": "racha.smtp.connections",
  ]

  /// Whether any of the six services reads the key.
  public static func isKnown(_ key: String) -> Bool {
    if knownKeys.contains(key) || renamedKeys[key] != nil { return true }
    let parts = key.split(separator: ".", omittingEmptySubsequences: false)
    return knownKeys.contains { known in
      guard known.contains("*") else { return false }
      let names = known.split(separator: ".")
      return names.count == parts.count && zip(names, parts).allSatisfy { $0 == "*" || $0 == $1 }
    }
  }
}
