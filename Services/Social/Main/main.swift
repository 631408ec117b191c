import Operations
import ServiceKit
import SocialService

ServiceProcess.start(.social, decoders: Social.decoders) { Social.service($0) }
