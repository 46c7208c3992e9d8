// A federation within this process: a Coordinator, and channels that pass messages in memory.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "federation/protocol/coordinator.h"
#include "federation/protocol/site_channel.h"

namespace firm {

class LocalChannel : public SiteChannel {
 public:
  // `change` may alter the messages of the coordinator to this site, `change_sent` those of the
  // site before the coordinator handles them.
  using Change = std::function<void(v1::CoordinatorMessage&)>;
  using ChangeSent = std::function<void(v1::SiteMessage&)>;

  LocalChannel(Coordinator& coordinator, std::string site, Change change = {},
               ChangeSent change_sent = {})
      : coordinator_(coordinator),
        site_(std::move(site)),
        change_(std::move(change)),
        change_sent_(std::move(change_sent)) {
    connection_ = coordinator_.connect(site_, [box = box_](const ToSite& what) {
      what.for_each([&](const v1::CoordinatorMessage& message) {
        box->push(message);
        return true;
      });
    });
  }
  ~LocalChannel() override { disconnect(); }

  // Simulates a broken connection.
  void disconnect() {
    if (connection_ != 0) coordinator_.disconnect(site_, connection_);
    connection_ = 0;
    box_->close();
  }

  void send(const v1::SiteMessage& message) override {
    v1::SiteMessage arriving = message;
    if (change_sent_) change_sent_(arriving);
    if (connection_ == 0 || !coordinator_.receive(site_, connection_, arriving)) box_->close();
  }
  v1::CoordinatorMessage receive() override {
    v1::CoordinatorMessage message = box_->pop();
    if (change_) change_(message);
    return message;
  }

 private:
  class Box {
   public:
    void push(const v1::CoordinatorMessage& message) {
      const std::lock_guard lock(mutex_);
      messages_.push_back(message);
      changed_.notify_all();
    }
    void close() {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      changed_.notify_all();
    }
    v1::CoordinatorMessage pop() {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return closed_ || !messages_.empty(); });
      if (messages_.empty()) throw ChannelLost("closed");
      v1::CoordinatorMessage message = messages_.front();
      messages_.pop_front();
      return message;
    }

   private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<v1::CoordinatorMessage> messages_;
    bool closed_ = false;
  };

  Coordinator& coordinator_;
  std::string site_;
  Change change_;
  ChangeSent change_sent_;
  std::shared_ptr<Box> box_ = std::make_shared<Box>();
  std::uint64_t connection_ = 0;
};

}  // namespace firm
