import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Hummingbird's HTTP/1.1 connections with the gateway's guards in their pipeline.
struct HTTPListener: HTTPChannelHandler {
  typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

  let limits: GatewayConfiguration.Limits
  let connections: ConnectionCounts
  let refusals: HTTPRefusals
  let responder: HTTPChannelHandler.Responder

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      try SocketOptions.set(channel, limits)
      let door = ConnectionDoor(connections, channel.remoteAddress)
      try pipeline.addHandler(door)
      let watch = ConnectionWatch(limits)
      try pipeline.addHandler(watch)
      var decoderLimits = NIOHTTPDecoderLimitConfiguration()
      decoderLimits.maxHeaderFieldSize = limits.headers
      decoderLimits.maxHeaderListSize = limits.headers
      decoderLimits.maxHeaderFieldCount = 100
      try pipeline.configureHTTPServerPipeline(
        withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
        withEncoderConfiguration: .init(), withDecoderLimitConfiguration: decoderLimits)
      try pipeline.addHandler(HTTPGuard(limits, watch: watch, refusals: refusals, isWelcome: door.isOpen))
      try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
      return try NIOAsyncChannel(wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }
  }

  func handle(value: Value, logger: Logger) async {
    await withTaskExecutorPreference(EventLoopExecutor(value.channel.eventLoop)) {
      await handleHTTP(asyncChannel: value, logger: logger)
    }
  }
}
