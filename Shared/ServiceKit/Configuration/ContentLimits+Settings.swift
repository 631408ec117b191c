public import Operations

extension ContentLimits {
  /// The configured limits, which can only be raised, since existing texts stay as they are.
  public init(_ settings: Settings) {
    self.init()
    activityTitle = settings.int(
      "racha.limits.activityTitle", default: activityTitle, in: activityTitle...ContentLimits.maxTitle)
    activityReason = settings.int(
      "racha.limits.activityReason", default: activityReason, in: activityReason...ContentLimits.maxReason)
    entryComment = settings.int("racha.limits.entryComment", default: entryComment, in: entryComment...ContentLimits.maxComment)
    photoBytes = settings.int("racha.limits.photoBytes", default: photoBytes, in: photoBytes...ContentLimits.maxPhotoBytes)
    accountReminders = settings.int(
      "racha.limits.remindersPerAccount", default: accountReminders, in: accountReminders...ContentLimits.maxAccountReminders)
  }
}
