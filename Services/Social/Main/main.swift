import Operations
import ServiceKit
import SocialService

await ServiceProcess.run(.social) { Social.service($0) }
