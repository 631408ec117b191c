import CSocialWords
public import Operations

extension Contract {
  /// What social shows the other services and the clients.
  public static let social = Contract(
    .social,
    features: [
      .friendRequests, .friends, .followRequests, .follows, .conversations, .messages, .messageSearch, .messagePhotos, .blocks,
      .friendChallenges, .tasks, .taskParticipants, .taskCompletions, .taskComments, .taskSeries, .taskSeriesParticipants,
      .taskParts, .taskHelp, .taskTokens, .taskAttachments, .taskLinks, .teams, .teamScores, .teamTasks, .register, .socialWeeks,
      .teamInvitations, .reports, .moderationCases, .sanctions, .appeals, .suspensions, .moderationRecords, .relations,
      .taskEvents,
    ],
    words: [.init(en: [UInt8](social_words_en), es: [UInt8](social_words_es))])
}
