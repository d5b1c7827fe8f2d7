package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
)

// The review's commands: what it reads, and in which message that comes back.

func (m *Model) onPast(msg tea.Msg) {
	switch msg := msg.(type) {
	case reviewRead:
		m.onReview(msg)
	case changesRead:
		m.onChangeList(msg)
	}
}

func (a asks) readPast(n int, key string, when actions.Moment) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(a.ctx, readTimeout)
		defer cancel()
		past, err := a.acts.ItemAt(ctx, key, when)
		return reviewRead{n: n, key: key, past: past, err: err}
	}
}

// changesRead: a page of what changed between two moments was read.
type changesRead struct {
	n       int
	request actions.ChangesRequest
	changes actions.Changes
	pick    pick
	err     error
}

func (a asks) readChanges(n int, r actions.ChangesRequest, p pick) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(a.ctx, readTimeout)
		defer cancel()
		changes, err := a.acts.Changes(ctx, r)
		return changesRead{n: n, request: r, changes: changes, pick: p, err: err}
	}
}
