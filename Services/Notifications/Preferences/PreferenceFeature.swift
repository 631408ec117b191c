import IdentityContract
import NotificationsContract
import ServiceKit
import Storage

/// Which notifications reach an account by which channel (NOT-4); that it mutes help is one of its choices (B UC13).
struct PreferenceFeature: Feature {
  let migrations = [PreferenceStore.migration(15)]
  let tables: [ErasedTable] = [
    .rows("notification_choices", "account_id = :account", .notificationChoices),
    .rows("notification_help_choosers", "account_id = :account", .notificationChoices),
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(GetNotificationPreferences.self, read: PreferenceHandlers.get)
    service.serve(UpdateNotificationPreferences.self, write: PreferenceHandlers.update)
    service.subscribe(to: AccountChanged.self, PreferenceSubscriptions.accountChanged)
  }
}
