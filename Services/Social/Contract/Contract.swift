import CSocialWords
public import Operations

extension Contract {
  /// What social shows the other services and the clients.
  public static let social = Contract(
    .social,
    operations: [
      SendFriendRequest.self, ListFriendRequests.self, AcceptFriendRequest.self, RejectFriendRequest.self,
      WithdrawFriendRequest.self,
      ListFriends.self, RemoveFriend.self,
      SendFollowRequest.self, ListFollowRequests.self, AcceptFollowRequest.self, RejectFollowRequest.self,
      WithdrawFollowRequest.self,
      ListFollows.self, ListFollowers.self, RemoveFollow.self, RemoveFollower.self,
      ListConversations.self, ListMessages.self, SendMessage.self, MarkConversationRead.self,
      EditMessage.self, RemoveMessage.self, SearchMessages.self, SendMessagePhoto.self, GetMessagePhoto.self,
      RemoveMessagePhoto.self,
      CreateBlock.self, ListBlocks.self, RemoveBlock.self,
      SendFriendChallenge.self, ListFriendChallenges.self, GetFriendChallenge.self, AcceptFriendChallenge.self,
      RejectFriendChallenge.self, WithdrawFriendChallenge.self, EndFriendChallenge.self,
      CreateTask.self, ListTasks.self, GetTask.self, EditTask.self, CancelTask.self,
      AddTaskParticipants.self, RemoveTaskParticipant.self, OptOutOfTask.self, ConfirmTaskCompletion.self,
      WithdrawTaskCompletion.self, CreateTaskComment.self, ListTaskComments.self, RemoveTaskComment.self,
      RequestTaskHelp.self, OfferTaskHelp.self, CloseTaskHelp.self, ThankForTaskHelp.self,
      GetTaskToken.self, RenewTaskToken.self, BeginTaskAttachment.self, UploadTaskAttachmentChunk.self,
      CompleteTaskAttachment.self, CancelTaskAttachment.self, ListTaskAttachments.self, GetTaskAttachment.self,
      DownloadTaskAttachmentChunk.self, DeleteTaskAttachment.self, BeginTaskAttachmentByToken.self,
      UploadTaskAttachmentChunkByToken.self, CompleteTaskAttachmentByToken.self, CancelTaskAttachmentByToken.self,
      CreateTeam.self, GetOwnTeam.self, EditTeam.self, LeaveTeam.self, HandOverTeam.self, RemoveTeamMember.self, ListTeams.self,
      ReadRegisterCheckpoint.self, ReadRegisterTile.self, ListRegisterKeys.self, ProveRegisterInclusion.self,
      ProveRegisterConsistency.self, ReadRegisterProof.self, ListOwnRegisterRecords.self,
      FindRegisterAccountLeaf.self,
      SendTeamInvitation.self, ListTeamInvitations.self, AcceptTeamInvitation.self, RejectTeamInvitation.self,
      WithdrawTeamInvitation.self,
      CreateReport.self, ListOwnReports.self, ListModerationCases.self, ReadModerationCase.self, ReadReportedPhoto.self,
      DecideModerationCase.self, ListOwnSanctions.self, ReadSanctionNotice.self, AppealSanction.self, ListAppeals.self,
      DecideAppeal.self, ListSuspensions.self, LiftSuspension.self, ListModerationRecords.self,
    ],
    events: [
      FriendRequestSent.self, FriendRequestAccepted.self, FriendRequestEnded.self, MessageSent.self, MessageEdited.self,
      MessageRemoved.self,
      ConversationRead.self,
      FollowRequestSent.self, FollowRequestAccepted.self, FollowRequestEnded.self, FollowChanged.self, RelationChanged.self,
      SuspensionChanged.self,
      FriendChallengeChanged.self, FriendChallengeAccepted.self,
      TaskChanged.self, TaskNoticed.self, TaskCommentCreated.self, TaskCommentRemoved.self,
      TaskHelpChanged.self, TaskHelpThanked.self, TaskHelpGiven.self, TaskAttachmentsChanged.self,
      TeamMembershipChanged.self, TeamInvitationChanged.self,
      ReportDecided.self, PhotoRemovalDecided.self, SanctionImposed.self, AppealDecided.self,
    ],
    words: [.init(en: [UInt8](social_words_en), es: [UInt8](social_words_es))])
}
