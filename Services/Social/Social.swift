import Images
import Operations
public import Sandbox
public import ServiceKit
import SocialContract

/// The social service: friend requests, friends, follows, conversations, messages, challenges, tasks with
/// their files, teams, blocks, reports and moderation.
public enum Social {
  /// What it starts its own program anew for.
  public static let decoders: [any SandboxedDecoder.Type] = [PictureDecoder.self]

  /// The body of the service's executable.
  public static func main() -> Never { ServiceProcess.start(.social, decoders: decoders) { service($0) } }

  /// The service as its executable and the tests run it.
  public static func service(_ environment: ServiceEnvironment) -> ServiceDefinition {
    service(environment, access: .participants)
  }

  /// The same where others say who takes part in tasks.
  static func service(_ environment: ServiceEnvironment, access: TaskAccess) -> ServiceDefinition {
    ServiceDefinition(.social, environment, features: SocialFeatures.all(environment, access: access))
  }
}

/// What the social service is made of.
enum SocialFeatures {
  /// Who follows the completions of tasks.
  static let completionObservers: [TaskCompletionObserver] = [TeamScoreStore.observe, RegisterStore.observe]

  /// Each after those that it depends on.
  static func all(
    _ environment: ServiceEnvironment, completionObservers: [TaskCompletionObserver] = completionObservers,
    access: TaskAccess = .participants
  ) -> [any Feature] {
    let life = ConnectionRequestLife(environment.settings)
    let messages = MessageRules(environment.settings)
    let tasks = TaskRules(environment.settings)
    let completions = TaskCompletionWriter(completionObservers: completionObservers)
    let tokens = TaskTokenKeys(environment.home)
    let links = TaskLinkKeys(environment.home)
    let pictures = PictureProcessor(program: environment.program, logger: environment.logger)
    return [
      AccountsFeature(migrations: (table: 1, settings: 6, people: 10, enrollment: 26, everyone: 51)),
      RegisterFeature(environment),
      FriendFeature(),
      FriendRequestFeature(life: life),
      ConversationFeature(),
      MessageFeature(rules: messages),
      MessagePhotoFeature(handlers: MessagePhotoHandlers(rules: messages, pictures: pictures)),
      MessageSearchFeature(),
      FollowFeature(),
      FollowRequestFeature(life: life),
      NameChangeFeature(),
      BlockFeature(closings: [
        FriendStore.close, FollowStore.close, FriendRequestStore.close, FollowRequestStore.close, TeamInvitationStore.close,
      ]),
      RelationFeature(),
      FriendChallengeFeature(),
      SocialWeekFeature(),
      TaskFeature(rules: tasks, completions: completions, links: links),
      TaskParticipantFeature(completions: completions, links: links),
      TaskCompletionFeature(completions: completions),
      TaskSeriesFeature(rules: tasks),
      TaskPartFeature(rules: tasks),
      TaskCommentFeature(rules: tasks),
      TaskHelpFeature(),
      TaskLinkFeature(keys: links),
      TaskTokenFeature(access: access, keys: tokens),
      TaskAttachmentFeature(access: access, tokens: tokens, environment),
      TeamFeature(mayEnroll: NamedPeople.mayEnroll),
      TeamTaskFeature(links: links),
      TeamScoreFeature(),
      TeamInvitationFeature(life: life),
      ModerationCaseFeature(access: access, files: TaskAttachmentFiles(environment.home)),
      ReportFeature(access: access, clock: environment.clock),
      SuspensionFeature(),
      AppealFeature(access: access),
      SanctionFeature(),
      ModerationRecordFeature(),
    ]
  }
}
